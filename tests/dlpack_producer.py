"""A DLPack producer made with ctypes, for layouts and fields that no library produces by itself."""

from __future__ import annotations

import ctypes
from typing import Any

import numpy as np

CPU, CUDA = 1, 2
INT, UINT, FLOAT, BFLOAT, COMPLEX, BOOL = 0, 1, 2, 4, 5, 6
READ_ONLY = 1


class Device(ctypes.Structure):
    _fields_ = [("type", ctypes.c_int32), ("id", ctypes.c_int32)]


class DataType(ctypes.Structure):
    _fields_ = [("code", ctypes.c_uint8), ("bits", ctypes.c_uint8), ("lanes", ctypes.c_uint16)]


class DLTensor(ctypes.Structure):
    _fields_ = [
        ("data", ctypes.c_void_p),
        ("device", Device),
        ("ndim", ctypes.c_int32),
        ("dtype", DataType),
        ("shape", ctypes.POINTER(ctypes.c_int64)),
        ("strides", ctypes.POINTER(ctypes.c_int64)),
        ("byte_offset", ctypes.c_uint64),
    ]


DELETER = ctypes.CFUNCTYPE(None, ctypes.c_void_p)


class Legacy(ctypes.Structure):
    _fields_ = [("tensor", DLTensor), ("context", ctypes.c_void_p), ("deleter", DELETER)]


class Version(ctypes.Structure):
    _fields_ = [("major", ctypes.c_uint32), ("minor", ctypes.c_uint32)]


class Versioned(ctypes.Structure):
    _fields_ = [
        ("version", Version),
        ("context", ctypes.c_void_p),
        ("deleter", DELETER),
        ("flags", ctypes.c_uint64),
        ("tensor", DLTensor),
    ]


_new_capsule = ctypes.pythonapi.PyCapsule_New
_new_capsule.restype = ctypes.py_object
_new_capsule.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]


class Producer:
    """Exports `memory` with the given metadata; counts the calls of its deleter."""

    def __init__(
        self,
        memory: np.ndarray[Any, Any],
        shape: tuple[int, ...],
        strides: tuple[int, ...] | None = None,
        *,
        code: int = FLOAT,
        bits: int = 64,
        lanes: int = 1,
        byte_offset: int = 0,
        device: int = CPU,
        version: tuple[int, int] | None = None,
        flags: int = 0,
    ) -> None:
        self.deleted = 0
        self.requests: list[dict[str, Any]] = []
        self.device = device
        self._memory = memory
        self._shape = (ctypes.c_int64 * max(len(shape), 1))(*shape)
        self._strides = None if strides is None else (ctypes.c_int64 * max(len(strides), 1))(*strides)
        self._deleter = DELETER(self._count)
        tensor = DLTensor(
            memory.ctypes.data,
            Device(device, 0),
            len(shape),
            DataType(code, bits, lanes),
            ctypes.cast(self._shape, ctypes.POINTER(ctypes.c_int64)),
            ctypes.cast(self._strides, ctypes.POINTER(ctypes.c_int64)),
            byte_offset,
        )
        if version is None:
            self._managed: Legacy | Versioned = Legacy(tensor, None, self._deleter)
            self._name = b"dltensor"
        else:
            self._managed = Versioned(Version(*version), None, self._deleter, flags, tensor)
            self._name = b"dltensor_versioned"

    def _count(self, _: int | None) -> None:
        self.deleted += 1

    def __dlpack__(self, **keywords: Any) -> object:
        self.requests.append(keywords)
        return _new_capsule(ctypes.addressof(self._managed), self._name, None)

    def __dlpack_device__(self) -> tuple[int, int]:
        return self.device, 0


class Holder:
    """Hands out one given capsule again and again."""

    def __init__(self, capsule: object) -> None:
        self.capsule = capsule

    def __dlpack__(self, **_: Any) -> object:
        return self.capsule

    def __dlpack_device__(self) -> tuple[int, int]:
        return CPU, 0
