// A Python bytes object that is made larger than it will be in the end.
#pragma once

#include <nanobind/nanobind.h>

#include <cstddef>
#include <cstdint>
#include <utility>

namespace weightzip {

class RoomyBytes {
public:
    RoomyBytes() = default;
    RoomyBytes(const RoomyBytes&) = delete;
    RoomyBytes& operator=(const RoomyBytes&) = delete;
    ~RoomyBytes() { Py_XDECREF(bytes_); }

    // Returns n_bytes writable bytes. To be called once, without the interpreter lock.
    std::uint8_t* allocate(std::size_t n_bytes) {
        const nanobind::gil_scoped_acquire acquire;
        bytes_ = PyBytes_FromStringAndSize(nullptr, static_cast<Py_ssize_t>(n_bytes));
        if (bytes_ == nullptr) throw nanobind::python_error();
        return reinterpret_cast<std::uint8_t*>(PyBytes_AsString(bytes_));
    }

    // Returns the first n_bytes of them. To be called with the interpreter lock.
    nanobind::bytes take(std::size_t n_bytes) {
        if (_PyBytes_Resize(&bytes_, static_cast<Py_ssize_t>(n_bytes)) != 0) throw nanobind::python_error();
        return nanobind::steal<nanobind::bytes>(std::exchange(bytes_, nullptr));
    }

private:
    PyObject* bytes_ = nullptr;
};

}  // namespace weightzip
