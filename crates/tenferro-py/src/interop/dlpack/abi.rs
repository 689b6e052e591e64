//! The structures of DLPack 1.x, as in its C header.

use std::ffi::{CStr, c_void};
use tenferro_tensor::DType;

pub const CPU: i32 = 1;
pub const READ_ONLY: u64 = 1;
pub const IS_COPIED: u64 = 2;
pub const MAJOR: u32 = 1;

#[repr(C)]
pub struct Device {
    pub kind: i32,
    pub id: i32,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct ElementType {
    pub code: u8,
    pub bits: u8,
    pub lanes: u16,
}

#[repr(C)]
pub struct DlTensor {
    pub data: *mut c_void,
    pub device: Device,
    pub rank: i32,
    pub dtype: ElementType,
    pub shape: *mut i64,
    pub strides: *mut i64,
    pub byte_offset: u64,
}

#[repr(C)]
pub struct Legacy {
    pub tensor: DlTensor,
    pub context: *mut c_void,
    pub deleter: Option<unsafe extern "C" fn(*mut Legacy)>,
}

#[repr(C)]
pub struct Versioned {
    pub major: u32,
    pub minor: u32,
    pub context: *mut c_void,
    pub deleter: Option<unsafe extern "C" fn(*mut Versioned)>,
    pub flags: u64,
    pub tensor: DlTensor,
}

/// One of the two structures that a capsule can hold.
pub trait Managed: Sized + 'static {
    /// Name of a capsule that nobody has consumed.
    const NAME: &'static CStr;
    /// Name of a consumed capsule.
    const USED: &'static CStr;

    /// Wraps `tensor`; `flags` where the structure has them.
    fn new(tensor: DlTensor, context: *mut c_void, deleter: unsafe extern "C" fn(*mut Self), flags: u64) -> Self;
    /// The function that frees it.
    fn deleter(&self) -> Option<unsafe extern "C" fn(*mut Self)>;
    /// What the deleter of this crate frees.
    fn context(&self) -> *mut c_void;
    /// The tensor and the flags; `None` if this is of a version that cannot be read.
    fn readable(&self) -> Option<(&DlTensor, u64)>;
}

impl Managed for Legacy {
    const NAME: &'static CStr = c"dltensor";
    const USED: &'static CStr = c"used_dltensor";

    fn new(tensor: DlTensor, context: *mut c_void, deleter: unsafe extern "C" fn(*mut Self), _flags: u64) -> Self {
        Legacy { tensor, context, deleter: Some(deleter) }
    }

    fn deleter(&self) -> Option<unsafe extern "C" fn(*mut Self)> {
        self.deleter
    }

    fn context(&self) -> *mut c_void {
        self.context
    }

    fn readable(&self) -> Option<(&DlTensor, u64)> {
        Some((&self.tensor, 0))
    }
}

impl Managed for Versioned {
    const NAME: &'static CStr = c"dltensor_versioned";
    const USED: &'static CStr = c"used_dltensor_versioned";

    fn new(tensor: DlTensor, context: *mut c_void, deleter: unsafe extern "C" fn(*mut Self), flags: u64) -> Self {
        Versioned { major: MAJOR, minor: 0, context, deleter: Some(deleter), flags, tensor }
    }

    fn deleter(&self) -> Option<unsafe extern "C" fn(*mut Self)> {
        self.deleter
    }

    fn context(&self) -> *mut c_void {
        self.context
    }

    fn readable(&self) -> Option<(&DlTensor, u64)> {
        (self.major == MAJOR).then_some((&self.tensor, self.flags))
    }
}

/// DLPack's code for a dtype.
pub fn element_type(dtype: DType) -> ElementType {
    let code = match dtype {
        DType::I32 | DType::I64 => 0,
        DType::F32 | DType::F64 => 2,
        DType::C64 | DType::C128 => 5,
        DType::Bool => 6,
    };
    ElementType { code, bits: 8 * dtype.itemsize() as u8, lanes: 1 }
}

/// The dtype of a DLPack code, or the name of what it is instead.
pub fn dtype_of(element: ElementType) -> Result<DType, String> {
    let found = DType::ALL.iter().copied().find(|&dtype| {
        let own = element_type(dtype);
        (own.code, own.bits, own.lanes) == (element.code, element.bits, element.lanes)
    });
    found.ok_or_else(|| {
        let kind = match element.code {
            0 => "int",
            1 => "uint",
            2 => "float",
            4 => "bfloat",
            5 => "complex",
            6 => "bool",
            _ => "unknown code ",
        };
        match (element.code, element.lanes) {
            (0..=6, 1) => format!("{kind}{}", element.bits),
            (0..=6, lanes) => format!("{kind}{} with {lanes} lanes", element.bits),
            (code, _) => format!("{kind}{code}"),
        }
    })
}
