use tenferro_tensor::{DType, Dims, Tensor};

/// Dtype and shape of an input, borrowed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Meta<'a> {
    /// Element type.
    pub dtype: DType,
    /// Extents.
    pub shape: &'a [usize],
}

impl<'a> Meta<'a> {
    /// Dtype and shape of a tensor.
    pub fn of(tensor: &'a Tensor) -> Meta<'a> {
        Meta { dtype: tensor.dtype(), shape: tensor.shape() }
    }

    /// An owned copy.
    pub fn owned(self) -> OutMeta {
        OutMeta { dtype: self.dtype, shape: Dims::from_slice(self.shape) }
    }
}

/// Dtype and shape of a result.
#[derive(Clone, Debug, PartialEq)]
pub struct OutMeta {
    /// Element type.
    pub dtype: DType,
    /// Extents.
    pub shape: Dims,
}

impl OutMeta {
    /// A result of `dtype` and `shape`.
    pub fn new(dtype: DType, shape: impl Into<Dims>) -> OutMeta {
        OutMeta { dtype, shape: shape.into() }
    }

    /// Borrowed.
    pub fn as_meta(&self) -> Meta<'_> {
        Meta { dtype: self.dtype, shape: &self.shape }
    }
}

const SMALL: usize = 5;

/// Dtype and shape in few bytes: what a recorded op keeps of an input whose values no rule reads.
#[derive(Clone, Debug)]
pub enum PackedMeta {
    /// Up to five axes with extents below 2³².
    Small(DType, u8, [u32; SMALL]),
    /// The rest.
    Large(Box<OutMeta>),
}

impl PackedMeta {
    /// Packs.
    pub fn new(meta: Meta<'_>) -> PackedMeta {
        let mut small = [0u32; SMALL];
        if meta.shape.len() > SMALL {
            return PackedMeta::Large(Box::new(meta.owned()));
        }
        for (slot, &extent) in small.iter_mut().zip(meta.shape) {
            match u32::try_from(extent) {
                Ok(extent) => *slot = extent,
                Err(_) => return PackedMeta::Large(Box::new(meta.owned())),
            }
        }
        PackedMeta::Small(meta.dtype, meta.shape.len() as u8, small)
    }

    /// Unpacks.
    pub fn unpack(&self) -> OutMeta {
        match self {
            PackedMeta::Small(dtype, rank, extents) => {
                OutMeta { dtype: *dtype, shape: extents[..*rank as usize].iter().map(|&e| e as usize).collect() }
            }
            PackedMeta::Large(meta) => (**meta).clone(),
        }
    }
}
