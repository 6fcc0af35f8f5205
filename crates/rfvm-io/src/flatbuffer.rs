//! The tables in which Arrow files describe themselves (FlatBuffers): every access is checked, and what lies outside the
//! bytes is simply not there.

/// A table.
#[derive(Clone, Copy)]
pub(crate) struct FlatTable<'a> {
    bytes: &'a [u8],
    at: usize,
}

/// A number of `N` bytes.
fn raw<const N: usize>(bytes: &[u8], at: usize) -> Option<[u8; N]> {
    bytes.get(at..)?.first_chunk::<N>().copied()
}

impl<'a> FlatTable<'a> {
    /// The table that the bytes begin with.
    pub(crate) fn root(bytes: &'a [u8]) -> Option<Self> {
        let at = u32::from_le_bytes(raw(bytes, 0)?) as usize;
        (at + 4 <= bytes.len()).then_some(Self { bytes, at })
    }

    /// Where the field of this number lies, if the table has it.
    fn field(&self, slot: usize) -> Option<usize> {
        let back = i32::from_le_bytes(raw(self.bytes, self.at)?);
        let table = self.at.checked_add_signed((-i64::from(back)) as isize)?;
        let length = usize::from(u16::from_le_bytes(raw(self.bytes, table)?));
        let place = 4 + 2 * slot;
        if place + 2 > length {
            return None;
        }
        let offset = u16::from_le_bytes(raw(self.bytes, table + place)?);
        (offset != 0).then(|| self.at + usize::from(offset))
    }

    fn number<const N: usize>(&self, slot: usize) -> Option<[u8; N]> {
        raw(self.bytes, self.field(slot)?)
    }

    pub(crate) fn u8(&self, slot: usize) -> u8 {
        self.number::<1>(slot).map_or(0, u8::from_le_bytes)
    }

    pub(crate) fn i16(&self, slot: usize) -> i16 {
        self.number::<2>(slot).map_or(0, i16::from_le_bytes)
    }

    pub(crate) fn i32(&self, slot: usize) -> i32 {
        self.number::<4>(slot).map_or(0, i32::from_le_bytes)
    }

    pub(crate) fn i64(&self, slot: usize) -> i64 {
        self.number::<8>(slot).map_or(0, i64::from_le_bytes)
    }

    /// Where what a field points to lies.
    fn target(&self, slot: usize) -> Option<usize> {
        let at = self.field(slot)?;
        at.checked_add(u32::from_le_bytes(raw(self.bytes, at)?) as usize)
    }

    pub(crate) fn table(&self, slot: usize) -> Option<Self> {
        let at = self.target(slot)?;
        (at < self.bytes.len()).then_some(Self {
            bytes: self.bytes,
            at,
        })
    }

    /// The bytes of a vector whose elements have `width` bytes, and their number.
    fn vector(&self, slot: usize, width: usize) -> Option<(usize, usize)> {
        let at = self.target(slot)?;
        let count = u32::from_le_bytes(raw(self.bytes, at)?) as usize;
        let start = at + 4;
        let end = start.checked_add(count.checked_mul(width)?)?;
        (end <= self.bytes.len()).then_some((start, count))
    }

    pub(crate) fn string(&self, slot: usize) -> Option<&'a str> {
        let (start, count) = self.vector(slot, 1)?;
        std::str::from_utf8(self.bytes.get(start..start + count)?).ok()
    }

    /// The tables of a vector; `None` where there is one outside the bytes.
    pub(crate) fn tables(&self, slot: usize) -> Option<Vec<Self>> {
        let Some((start, count)) = self.vector(slot, 4) else {
            return self.field(slot).is_none().then(Vec::new);
        };
        (0..count)
            .map(|number| {
                let at = start + 4 * number;
                let at = at.checked_add(u32::from_le_bytes(raw(self.bytes, at)?) as usize)?;
                (at < self.bytes.len()).then_some(Self {
                    bytes: self.bytes,
                    at,
                })
            })
            .collect()
    }

    /// The elements of a vector, each of which is so many bytes.
    pub(crate) fn structs<const N: usize>(&self, slot: usize) -> Option<&'a [[u8; N]]> {
        let Some((start, count)) = self.vector(slot, N) else {
            return self.field(slot).is_none().then_some(&[]);
        };
        Some(self.bytes.get(start..start + count * N)?.as_chunks::<N>().0)
    }
}

/// A whole number inside a structure.
pub(crate) fn i64_at(bytes: &[u8], at: usize) -> i64 {
    raw(bytes, at).map_or(0, i64::from_le_bytes)
}
