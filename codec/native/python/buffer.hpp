// A Python buffer, held for as long as this object lives.
#pragma once

#include <nanobind/nanobind.h>

#include <cstddef>
#include <cstdint>
#include <span>

namespace weightzip {

class PythonBuffer {
public:
    // Raises BufferError (as nanobind::python_error) unless object is contiguous and, if asked for, writable.
    PythonBuffer(nanobind::handle object, bool writable) {
        if (PyObject_GetBuffer(object.ptr(), &view_, writable ? PyBUF_WRITABLE : PyBUF_SIMPLE) != 0) {
            throw nanobind::python_error();
        }
    }
    ~PythonBuffer() { PyBuffer_Release(&view_); }
    PythonBuffer(const PythonBuffer&) = delete;
    PythonBuffer& operator=(const PythonBuffer&) = delete;

    std::span<std::uint8_t> bytes() const noexcept {
        return {static_cast<std::uint8_t*>(view_.buf), static_cast<std::size_t>(view_.len)};
    }

private:
    Py_buffer view_{};
};

}  // namespace weightzip
