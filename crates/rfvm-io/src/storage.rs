//! Numbers as they lie in files: type, width, byte order.

/// The most bytes that one byte of a deflate stream can turn into (1032 by the format, and a little room).
pub(crate) const MAX_INFLATION: u64 = 1040;

/// How a number is stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Storage {
    /// One byte that is zero or not.
    Bool,
    I8,
    U8,
    I16,
    U16,
    I32,
    U32,
    I64,
    U64,
    F32,
    F64,
}

impl Storage {
    /// Bytes per number.
    pub(crate) fn width(self) -> usize {
        match self {
            Self::Bool | Self::I8 | Self::U8 => 1,
            Self::I16 | Self::U16 => 2,
            Self::I32 | Self::U32 | Self::F32 => 4,
            Self::I64 | Self::U64 | Self::F64 => 8,
        }
    }

    /// All whole numbers in `bytes` as `f64` (64-bit integers above 2^53 are rounded); a rest is left out.
    pub(crate) fn decode(self, bytes: &[u8], big_endian: bool) -> Vec<f64> {
        macro_rules! decode {
            ($number:ty) => {{
                let chunks = bytes.as_chunks::<{ size_of::<$number>() }>().0.iter();
                if big_endian {
                    chunks
                        .map(|&chunk| <$number>::from_be_bytes(chunk) as f64)
                        .collect()
                } else {
                    chunks
                        .map(|&chunk| <$number>::from_le_bytes(chunk) as f64)
                        .collect()
                }
            }};
        }
        match self {
            Self::Bool => bytes
                .iter()
                .map(|&byte| f64::from(u8::from(byte != 0)))
                .collect(),
            Self::I8 => decode!(i8),
            Self::U8 => decode!(u8),
            Self::I16 => decode!(i16),
            Self::U16 => decode!(u16),
            Self::I32 => decode!(i32),
            Self::U32 => decode!(u32),
            Self::I64 => decode!(i64),
            Self::U64 => decode!(u64),
            Self::F32 => decode!(f32),
            Self::F64 => decode!(f64),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_byte_orders() {
        assert_eq!(
            Storage::I16.decode(&[0xfe, 0xff, 0x00, 0x01, 0x77], false),
            [-2.0, 256.0]
        );
        assert_eq!(
            Storage::I16.decode(&[0xff, 0xfe, 0x01, 0x00], true),
            [-2.0, 256.0]
        );
        assert_eq!(Storage::F64.decode(&1.5_f64.to_be_bytes(), true), [1.5]);
        assert_eq!(
            Storage::F32.decode(&(-0.5_f32).to_le_bytes(), false),
            [-0.5]
        );
        assert_eq!(
            Storage::U64.decode(&u64::MAX.to_le_bytes(), false),
            [18_446_744_073_709_551_615.0]
        );
        assert_eq!(Storage::Bool.decode(&[0, 1, 2], false), [0.0, 1.0, 1.0]);
    }
}
