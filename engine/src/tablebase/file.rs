//! Table files: their layout, and reading them.
//!
//! A pair of sectors of the moving phase has two files, such as `6-5.wdl` and `6-5.dtw`; a sector with
//! stones in hand has one, such as `4-3+2-1.wdl`. All numbers are little-endian.
//!
//! 1. The header ([`super::codec`]): rules, kind, and for each sector its statistics and where the
//!    rest is.
//! 2. For each sector its *model* ([`super::model`]), its *index* and its *data*.
//!
//! The data are the codes ([`super::rans`]) of the sector's parts ([`super::context::Parts`]) one
//! after the other. The index has an entry for each group of [`GROUP`] parts: the place in the data
//! where the group begins (64 bits), the CRC-32 of the group's bytes, and the length of each part
//! (16 bits each; those past the end are 0). A part without bytes consists of the likeliest symbol
//! in every context.
//!
//! In a `wdl` file each part codes a symbol for every position. Where a capture wins at once the
//! symbol may be win or draw, whichever was cheaper; all other positions have their value. So a win or a
//! loss that is written is one, and a draw is one unless a capture leads to a written loss. In a
//! `dtw` file each part codes, for the positions that the `wdl` file calls lost, half the plies
//! that the loser lasts. Everything else follows: a won position is won in one ply more than the
//! shortest loss it can move to.

use std::borrow::Cow;
use std::fmt;
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::path::Path;
use std::sync::{Mutex, OnceLock};

use memmap2::Mmap;

use super::codec::{self, Header, HeaderError, Section, Span};
use super::context::{Coder, Distance, LOSS, Parts, Situation, Walk, Wdl};
use super::model::{Model, Quick};
use super::rans::{Decoder, Paused};
use super::sector::Sector;
use crate::rules::DoubleMill;

/// The rules that the table of a sector holds under, as far as they matter there: a closed mill
/// captures one stone, any when all stand in mills, and three stones fly. With stones in hand it is
/// told apart whether two mills closed at once capture two.
#[must_use]
pub const fn rules(sector: Sector) -> [u8; 16] {
    match (sector.is_placing(), sector.double_mill()) {
        (false, _) => *b"nine-move-fly3-1",
        (true, DoubleMill::One) => *b"nine-place-one-1",
        (true, DoubleMill::Two) => *b"nine-place-two-1",
    }
}

/// Parts that share a checksum.
pub const GROUP: usize = 32;
/// The length of an index entry.
const ENTRY: usize = 8 + 4 + 2 * GROUP;

/// What a table file tells of a position.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum TableKind {
    /// Win, draw or loss.
    Wdl,
    /// How far off the end is.
    Dtw,
}

impl TableKind {
    /// Both.
    pub const ALL: [Self; 2] = [Self::Wdl, Self::Dtw];

    /// The end of the file's name: `wdl` or `dtw`.
    #[must_use]
    pub const fn extension(self) -> &'static str {
        match self {
            Self::Wdl => "wdl",
            Self::Dtw => "dtw",
        }
    }

    /// The name of the file that holds a sector, such as `6-5.wdl` for `5-6`.
    #[must_use]
    pub fn file_name(self, sector: Sector) -> String {
        let first = sector.in_one_file().next().unwrap_or(sector);
        format!("{first}.{}", self.extension())
    }

    /// The sector that a file of this name holds first, and the kind of the table.
    #[must_use]
    pub fn of_file_name(name: &str) -> Option<(Sector, Self)> {
        let (stem, ending) = name.rsplit_once('.')?;
        let sector = stem.parse::<Sector>().ok()?;
        let kind = *Self::of(sector).iter().find(|kind| kind.extension() == ending)?;
        (kind.file_name(sector) == name).then_some((sector, kind))
    }

    /// The kinds of tables that a sector has: distances are kept in the moving phase alone.
    #[must_use]
    pub const fn of(sector: Sector) -> &'static [Self] {
        if sector.is_placing() { &[Self::Wdl] } else { &Self::ALL }
    }
}

/// Why a table file was refused, or could not be read on.
#[derive(Debug)]
pub enum TableError {
    /// The system could not read it.
    Io(io::Error),
    /// It is no table file.
    NotATable,
    /// It is of another version of the format.
    OtherFormat(u32),
    /// It was made for other rules.
    OtherRules,
    /// It holds other sectors, or values of another kind, than its name says.
    OtherContents,
    /// Some of it is missing or has changed; what.
    Damaged(&'static str),
}

impl fmt::Display for TableError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Io(error) => write!(f, "cannot be read: {error}"),
            Self::NotATable => f.write_str("is no table file"),
            Self::OtherFormat(format) => write!(
                f,
                "has format {format}, this program reads format {}; make it again with \
                 `tablebase-gen generate`",
                codec::FORMAT
            ),
            Self::OtherRules => f.write_str("was made for other rules"),
            Self::OtherContents => {
                f.write_str("holds another table than its name says; give it its name back")
            }
            Self::Damaged(what) => write!(
                f,
                "is damaged ({what}); delete it and make it again with `tablebase-gen generate`"
            ),
        }
    }
}

impl std::error::Error for TableError {}

impl From<io::Error> for TableError {
    fn from(error: io::Error) -> Self {
        Self::Io(error)
    }
}

impl From<HeaderError> for TableError {
    fn from(error: HeaderError) -> Self {
        match error {
            HeaderError::NotATable => Self::NotATable,
            HeaderError::OtherFormat(format) => Self::OtherFormat(format),
            HeaderError::Damaged => Self::Damaged("header"),
        }
    }
}

/// Where the bytes of a table are.
#[derive(Debug)]
enum Source {
    /// In the program itself.
    Static(&'static [u8]),
    /// In a file, as part of the memory.
    Map(Mmap),
    /// In a file, read when needed.
    File(Mutex<File>, u64),
}

impl Source {
    fn len(&self) -> u64 {
        match self {
            Self::Static(bytes) => bytes.len() as u64,
            Self::Map(map) => map.len() as u64,
            Self::File(_, len) => *len,
        }
    }

    fn bytes(&self, offset: u64, len: usize) -> Result<Cow<'_, [u8]>, TableError> {
        let within = |bytes| {
            let start = usize::try_from(offset).ok()?;
            <[u8]>::get(bytes, start..start.checked_add(len)?)
        };
        let cut = TableError::Damaged("it ends early");
        match self {
            Self::Static(bytes) => within(bytes).map(Cow::Borrowed).ok_or(cut),
            Self::Map(map) => within(map).map(Cow::Borrowed).ok_or(cut),
            Self::File(file, all) => {
                if offset.checked_add(len as u64).is_none_or(|end| end > *all) {
                    return Err(cut);
                }
                let mut file = file.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
                file.seek(SeekFrom::Start(offset))?;
                let mut bytes = vec![0; len];
                file.read_exact(&mut bytes)?;
                Ok(Cow::Owned(bytes))
            }
        }
    }

    fn span(&self, span: Span, what: &'static str) -> Result<Cow<'_, [u8]>, TableError> {
        let len = usize::try_from(span.len).map_err(|_| TableError::Damaged(what))?;
        let bytes = self.bytes(span.offset, len)?;
        if crc32fast::hash(&bytes) == span.crc { Ok(bytes) } else { Err(TableError::Damaged(what)) }
    }
}

/// How to read a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    /// As part of the memory: the fastest.
    Map,
    /// Piece by piece: takes no address space, and a file that is cut short while it is in use
    /// gives an error instead of ending the program.
    Read,
}

/// An open table of one sector, of one kind.
#[derive(Debug)]
pub struct Table {
    sector: Sector,
    kind: TableKind,
    parts: Parts,
    section: Section,
    source: std::sync::Arc<Source>,
    index: Box<[u8]>,
    wdl: OnceLock<Quick>,
    distance: OnceLock<Model>,
}

/// Opens the file that holds a sector: one table for each sector in it.
///
/// The header, the models and the indices are checked here, the parts when they are read.
///
/// # Errors
/// If the file cannot be read, is damaged, or holds something else.
pub fn open(
    path: &Path,
    sector: Sector,
    kind: TableKind,
    access: Access,
) -> Result<Vec<Table>, TableError> {
    let file = File::open(path)?;
    let metadata = file.metadata()?;
    if metadata.is_dir() {
        return Err(io::Error::from(io::ErrorKind::IsADirectory).into());
    }
    let len = metadata.len();
    let source = match access {
        // SAFETY: table files are never changed in place: the generator writes them under another
        // name and renames them when they are whole. Should another program cut one short while it
        // is mapped, the system ends this one; whoever fears that uses `Access::Read`.
        Access::Map if len > 0 => Source::Map(unsafe { Mmap::map(&file)? }),
        _ => Source::File(Mutex::new(file), len),
    };
    from_source(source, sector, kind)
}

/// The tables in the bytes of a file that is part of the program.
///
/// # Errors
/// As for [`open`].
pub fn from_bytes(
    bytes: &'static [u8],
    sector: Sector,
    kind: TableKind,
) -> Result<Vec<Table>, TableError> {
    from_source(Source::Static(bytes), sector, kind)
}

fn from_source(source: Source, sector: Sector, kind: TableKind) -> Result<Vec<Table>, TableError> {
    let start = source.bytes(0, source.len().min(16) as usize)?.into_owned();
    let header_len = codec::header_len(&start)?;
    let header = codec::decode(&source.bytes(0, header_len)?)?;
    check(&header, &source, sector, kind)?;
    let source = std::sync::Arc::new(source);
    header
        .sections
        .into_iter()
        .zip(sector.in_one_file())
        .map(|(section, sector)| Table::new(&source, section, sector, kind))
        .collect()
}

fn check(
    header: &Header,
    source: &Source,
    sector: Sector,
    kind: TableKind,
) -> Result<(), TableError> {
    let stones = |section: &Section| [section.mover, section.other];
    if !header.sections.iter().map(stones).eq(sector.in_one_file().map(section_stones)) {
        return Err(TableError::OtherContents);
    }
    if header.rules != rules(sector) {
        return Err(TableError::OtherRules);
    }
    if header.kind != kind as u8 {
        return Err(TableError::OtherContents);
    }
    if header.file_len != source.len() {
        return Err(TableError::Damaged("its length"));
    }
    Ok(())
}

impl Table {
    fn new(
        source: &std::sync::Arc<Source>,
        section: Section,
        sector: Sector,
        kind: TableKind,
    ) -> Result<Self, TableError> {
        let parts = Parts::of(sector.pair());
        source.span(section.model, "model")?;
        let index = source.span(section.index, "index")?.into_owned().into_boxed_slice();
        let table = Self {
            sector,
            kind,
            parts,
            section,
            source: source.clone(),
            index,
            wdl: OnceLock::new(),
            distance: OnceLock::new(),
        };
        if table.index.len() != table.groups() * ENTRY || !table.groups_follow_each_other() {
            return Err(TableError::Damaged("index"));
        }
        Ok(table)
    }

    /// The sector.
    #[must_use]
    pub const fn sector(&self) -> Sector {
        self.sector
    }

    /// The kind of table.
    #[must_use]
    pub const fn kind(&self) -> TableKind {
        self.kind
    }

    /// What the header says of the sector.
    #[must_use]
    pub const fn section(&self) -> &Section {
        &self.section
    }

    /// How the sector is cut into parts.
    #[must_use]
    pub const fn parts(&self) -> Parts {
        self.parts
    }

    fn groups(&self) -> usize {
        self.parts.count().div_ceil(GROUP)
    }

    fn groups_follow_each_other(&self) -> bool {
        let mut next = 0;
        for group in 0..self.groups() {
            let entry = self.entry(group);
            if entry.start != next {
                return false;
            }
            next += entry.lens().sum::<usize>() as u64;
        }
        next == self.section.data.len
            && self
                .section
                .data
                .offset
                .checked_add(next)
                .is_some_and(|end| end <= self.source.len())
    }

    fn entry(&self, group: usize) -> Entry<'_> {
        let entry = &self.index[group * ENTRY..(group + 1) * ENTRY];
        let (start, rest) = entry.split_first_chunk().expect("an entry is long enough");
        let (crc, lens) = rest.split_first_chunk().expect("an entry is long enough");
        Entry { start: u64::from_le_bytes(*start), crc: u32::from_le_bytes(*crc), lens }
    }

    /// The bytes of a group of parts, checked.
    fn group(&self, group: usize) -> Result<(Entry<'_>, Cow<'_, [u8]>), TableError> {
        let entry = self.entry(group);
        let offset = self.section.data.offset + entry.start;
        let bytes = self.source.bytes(offset, entry.lens().sum())?;
        if crc32fast::hash(&bytes) != entry.crc {
            return Err(TableError::Damaged("data"));
        }
        Ok((entry, bytes))
    }

    /// Reads the codes of a part with `read`, from where it was paused; at last everything must have
    /// been read if `to_end`.
    fn part(
        &self,
        part: usize,
        paused: Option<Paused>,
        to_end: bool,
        read: impl FnOnce(Decoder<'_>) -> Decoder<'_>,
    ) -> Result<Paused, TableError> {
        let (entry, bytes) = self.group(part / GROUP)?;
        let start: usize = entry.lens().take(part % GROUP).sum();
        let len = entry.lens().nth(part % GROUP).unwrap_or(0);
        let bytes = &bytes[start..start + len];
        let decoder = read(match paused {
            Some(paused) => Decoder::resume(bytes, paused),
            None => Decoder::new(bytes),
        });
        // The checksum was right, so this cannot happen unless the encoder and the decoder differ.
        if to_end && len > 0 && !decoder.is_finished() {
            return Err(TableError::Damaged("a part"));
        }
        Ok(decoder.pause())
    }

    /// Checks every group against its checksum.
    ///
    /// # Errors
    /// If one does not fit, or the file cannot be read.
    pub fn check_data(&self) -> Result<(), TableError> {
        (0..self.groups()).try_for_each(|group| self.group(group).map(drop))
    }

    /// Reads the symbols of a part of a `wdl` table into `symbols`, which must be of its length.
    ///
    /// # Errors
    /// If the part is damaged or cannot be read.
    ///
    /// # Panics
    /// If the table is of the other kind, or has no such part.
    pub fn read_wdl(
        &self,
        part: usize,
        walk: &mut Walk,
        symbols: &mut [u8],
    ) -> Result<(), TableError> {
        self.read_wdl_on(part, walk, 0, None, symbols).map(drop)
    }

    /// Reads the beginning of a part of a `wdl` table, as many symbols as there is room for in
    /// `symbols`. The first `known` were read before, up to where `paused` tells. Returns where it
    /// has stopped now.
    ///
    /// # Errors
    /// If the part is damaged or cannot be read.
    ///
    /// # Panics
    /// If the table is of the other kind, has no such part or a shorter one.
    pub fn read_wdl_on(
        &self,
        part: usize,
        walk: &mut Walk,
        known: usize,
        paused: Option<Paused>,
        symbols: &mut [u8],
    ) -> Result<Paused, TableError> {
        assert_eq!(self.kind, TableKind::Wdl);
        let model = match self.wdl.get() {
            Some(model) => model,
            None => {
                let bytes = self.source.span(self.section.model, "model")?;
                let model = Model::read::<Wdl>(&bytes).map_err(|_| TableError::Damaged("model"))?;
                self.wdl.get_or_init(|| Quick::new(&model))
            }
        };
        let range = self.parts.range(part);
        self.part(part, paused, symbols.len() == range.len(), |decoder| {
            walk.wdl_on(&range, known, symbols, Reading { model, decoder }).decoder
        })
    }

    /// Reads the distances of a part of a `dtw` table into `distances`, for the places where
    /// `symbols`, read from the `wdl` table, tells of a loss; the others are left as they are.
    /// Distances are halves of plies.
    ///
    /// # Errors
    /// If the part is damaged or cannot be read.
    ///
    /// # Panics
    /// If the table is of the other kind, or has no such part.
    pub fn read_distances(
        &self,
        part: usize,
        walk: &mut Walk,
        symbols: &[u8],
        distances: &mut [u8],
    ) -> Result<(), TableError> {
        assert_eq!(self.kind, TableKind::Dtw);
        let model = match self.distance.get() {
            Some(model) => model,
            None => {
                let bytes = self.source.span(self.section.model, "model")?;
                let model =
                    Model::read::<Distance>(&bytes).map_err(|_| TableError::Damaged("model"))?;
                self.distance.get_or_init(|| model)
            }
        };
        if !symbols.contains(&LOSS) {
            return Ok(());
        }
        let range = self.parts.range(part);
        let read = self.part(part, None, true, |mut decoder| {
            let decode = |_, context| model.decode(context, &mut decoder);
            walk.distance(&range, symbols, distances, decode);
            decoder
        });
        read.map(drop)
    }
}

/// Reads symbols.
struct Reading<'m, 'b> {
    model: &'m Quick,
    decoder: Decoder<'b>,
}

impl Coder for Reading<'_, '_> {
    #[inline(always)]
    fn code(&mut self, _: usize, situation: Situation, previous: u8) -> u8 {
        self.model.decode(situation, previous, &mut self.decoder)
    }
}

/// An entry of an index.
struct Entry<'a> {
    start: u64,
    crc: u32,
    lens: &'a [u8],
}

impl Entry<'_> {
    fn lens(&self) -> impl Iterator<Item = usize> {
        self.lens.as_chunks::<2>().0.iter().map(|len| u16::from_le_bytes(*len).into())
    }
}

/// The stones of a sector as [`Section`] has them: of the side to move, of the other.
#[must_use]
pub const fn section_stones(sector: Sector) -> [u8; 2] {
    let [mover, other] = sector.hands();
    [sector.mover() | mover << 4, sector.other() | other << 4]
}

/// One sector to be written.
#[derive(Debug)]
pub struct Contents {
    /// The statistics; the spans are filled in.
    pub section: Section,
    /// The model, as bytes.
    pub model: Vec<u8>,
    /// The parts, one after the other.
    pub data: Vec<u8>,
    /// How many bytes each part has.
    pub lengths: Vec<u16>,
}

/// Writes the table file of some sectors: those of [`Sector::in_one_file`].
///
/// # Errors
/// If the system cannot write it.
pub fn write(
    out: &mut impl io::Write,
    sector: Sector,
    kind: TableKind,
    mut sectors: Vec<Contents>,
) -> io::Result<u64> {
    let indices: Vec<Vec<u8>> = sectors.iter().map(index).collect();
    let mut header = Header {
        rules: rules(sector),
        kind: kind as u8,
        file_len: 0,
        sections: sectors.iter_mut().map(|s| std::mem::take(&mut s.section)).collect(),
    };
    // Numbers have a fixed size, so the header is as long before as after they are known.
    let mut offset = codec::encode(&header).len() as u64;
    let mut span = |bytes: &[u8], crc: u32| {
        let span = Span { offset, len: bytes.len() as u64, crc };
        offset += span.len;
        span
    };
    for ((section, sector), index) in header.sections.iter_mut().zip(&sectors).zip(&indices) {
        section.model = span(&sector.model, crc32fast::hash(&sector.model));
        section.index = span(index, crc32fast::hash(index));
        section.data = span(&sector.data, 0);
    }
    header.file_len = offset;
    out.write_all(&codec::encode(&header))?;
    for (sector, index) in sectors.iter().zip(&indices) {
        out.write_all(&sector.model)?;
        out.write_all(index)?;
        out.write_all(&sector.data)?;
    }
    Ok(header.file_len)
}

fn index(contents: &Contents) -> Vec<u8> {
    let mut index = Vec::new();
    let mut start = 0;
    for group in contents.lengths.chunks(GROUP) {
        let len: usize = group.iter().map(|&len| usize::from(len)).sum();
        index.extend((start as u64).to_le_bytes());
        index.extend(crc32fast::hash(&contents.data[start..start + len]).to_le_bytes());
        for place in 0..GROUP {
            index.extend(group.get(place).copied().unwrap_or(0).to_le_bytes());
        }
        start += len;
    }
    index
}
