"""Compress, restore and verify files and directories; open an archive for random access."""

from weightzip.codec.predecessor import ArchivePredecessor, FilePredecessor, Predecessor
from weightzip.codec.reader import Archive
from weightzip.files.compress import compress_file
from weightzip.files.decompress import decompress_file, decompress_stream, write_restored
from weightzip.files.directories.compress import compress_directory
from weightzip.files.directories.decompress import decompress_directory
from weightzip.files.directories.verify import check_directory, verify_directory
from weightzip.files.opening import Base, PathLike, open_archive
from weightzip.files.reports import CompressReport, DecompressReport, Progress, StreamReport, VerifyReport
from weightzip.files.verify import check_archive, verify_file

__all__ = [
    "Archive",
    "ArchivePredecessor",
    "Base",
    "CompressReport",
    "DecompressReport",
    "FilePredecessor",
    "PathLike",
    "Predecessor",
    "Progress",
    "StreamReport",
    "VerifyReport",
    "check_archive",
    "check_directory",
    "compress_directory",
    "compress_file",
    "decompress_directory",
    "decompress_file",
    "decompress_stream",
    "open_archive",
    "verify_directory",
    "verify_file",
    "write_restored",
]
