//! How likely each symbol is in each context: counted once over a sector, then fixed.

use std::hint::select_unpredictable as select;

use rustc_hash::FxHashMap;

use super::context::{DRAW, LOSS, Situation, WIN};
use super::rans::{Decoder, SCALE, Share};

/// What a model says of the symbols of one kind of table.
pub trait Kind {
    /// How many contexts there are.
    const CONTEXTS: u32;
    /// How many symbols there are.
    const SYMBOLS: u8;
    /// A coarser context, for those too rare to be counted by themselves. It is a context that
    /// leads to itself.
    fn coarser(context: u32) -> u32;
}

/// A context seen less often is taken together with others.
const RARE: u32 = 48;
/// More tables than this would not be told apart in sixteen bits.
const MOST_TABLES: usize = u16::MAX as usize;

/// How often each symbol came in each context.
#[derive(Clone, Debug, Default)]
pub struct Counts {
    /// For each context one more than the number of its counts, or 0.
    places: Vec<u32>,
    /// As many for each context that was seen as there are symbols.
    counts: Vec<u32>,
}

impl Counts {
    /// Counts a symbol.
    #[inline(always)]
    pub fn add<K: Kind>(&mut self, context: u32, symbol: u8) {
        self.of::<K>(context)[usize::from(symbol)] += 1;
    }

    #[inline(always)]
    fn of<K: Kind>(&mut self, context: u32) -> &mut [u32] {
        let symbols = usize::from(K::SYMBOLS);
        let place = match self.places.get(context as usize) {
            Some(&place) if place != 0 => place,
            _ => self.begin::<K>(context),
        };
        &mut self.counts[(place as usize - 1) * symbols..][..symbols]
    }

    /// Makes room for the counts of a context.
    #[cold]
    #[inline(never)]
    fn begin<K: Kind>(&mut self, context: u32) -> u32 {
        if self.places.is_empty() {
            self.places = vec![0; K::CONTEXTS as usize];
        }
        let symbols = usize::from(K::SYMBOLS);
        self.counts.resize(self.counts.len() + symbols, 0);
        let place = (self.counts.len() / symbols) as u32;
        self.places[context as usize] = place;
        place
    }

    /// Adds what others have counted.
    pub fn merge<K: Kind>(&mut self, other: &Self) {
        for (context, counts) in other.iter::<K>() {
            self.of::<K>(context).iter_mut().zip(counts).for_each(|(a, b)| *a += b);
        }
    }

    fn iter<K: Kind>(&self) -> impl Iterator<Item = (u32, &[u32])> {
        let symbols = usize::from(K::SYMBOLS);
        let seen = self.places.iter().enumerate().filter(|(_, place)| **place != 0);
        seen.map(move |(context, &place)| {
            (context as u32, &self.counts[(place as usize - 1) * symbols..][..symbols])
        })
    }
}

/// One symbol in one context.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Entry {
    share: Share,
    symbol: u8,
}

/// The shares of the symbols in every context.
#[derive(Debug, PartialEq, Eq)]
pub struct Model {
    /// The table of each context.
    tables: Vec<u16>,
    /// The range of entries of each table, the likeliest symbol first. Symbols without an entry
    /// have frequency 1 and share, in order, what the entries leave.
    ranges: Vec<(u32, u32)>,
    entries: Vec<Entry>,
}

/// A model of three symbols with all that a context says in one word, for reading at speed: what is
/// read next waits for this look.
#[derive(Debug)]
pub struct Quick {
    /// For each context, from the highest bit down: in 14 bits each where the second and the third
    /// symbol's share begins, and in two bits each the second and the first symbol.
    words: Vec<u32>,
}

impl Quick {
    /// The same shares as those of a model.
    #[must_use]
    pub fn new(model: &Model) -> Self {
        let Shares { tables, all, .. } = model.shares(3);
        let word = |shares: &[Share; 3]| {
            let mut symbols = [0, 1, 2].map(|s| (shares[s].start, s as u32));
            symbols.sort_unstable();
            let [first, second, third] = symbols;
            u32::from(second.0) << 18 | u32::from(third.0) << 4 | second.1 << 2 | first.1
        };
        let words: Vec<u32> = all.as_chunks().0.iter().map(word).collect();
        Self { words: tables.iter().map(|&table| words[usize::from(table)]).collect() }
    }

    /// Reads the next symbol, after another.
    #[inline(always)]
    #[must_use]
    pub fn decode(&self, situation: Situation, previous: u8, decoder: &mut Decoder<'_>) -> u8 {
        let [after_win, after_draw, after_loss] =
            [WIN, DRAW, LOSS].map(|symbol| self.words[situation.after(symbol) as usize]);
        let word = select(previous == DRAW, after_draw, after_loss);
        let word = select(previous == WIN, after_win, word);
        let (second, third) = (word >> 18, word >> 4 & (SCALE - 1));
        let slot = u32::from(decoder.peek());
        let (from_second, from_third) = (slot >= second, slot >= third);
        let start = select(from_second, second, 0);
        let start = select(from_third, third, start);
        let end = select(from_second, third, second);
        let end = select(from_third, SCALE, end);
        decoder.take(Share { start: start as u16, frequency: (end - start) as u16 });
        let symbol = select(from_second, word >> 2 & 3, word & 3);
        // The three symbols add up to 3.
        let last = 3_u32.wrapping_sub((word & 3) + (word >> 2 & 3));
        select(from_third, last, symbol) as u8
    }
}

/// A model with the share of every symbol at hand, for writing at speed.
#[derive(Debug)]
pub struct Shares {
    tables: Vec<u16>,
    symbols: usize,
    /// As many for each table as there are symbols.
    all: Vec<Share>,
}

impl Shares {
    /// The share of a symbol.
    ///
    /// # Panics
    /// If the kind of table has no such context or symbol.
    #[inline(always)]
    #[must_use]
    pub fn of(&self, context: u32, symbol: u8) -> Share {
        let table = usize::from(self.tables[context as usize]);
        self.all[table * self.symbols + usize::from(symbol)]
    }
}

/// The bytes are no model.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NotAModel;

/// The contexts with tables of their own, each with its symbols and their frequencies.
type Listed = Vec<(u32, Vec<(u8, u16)>)>;

impl Model {
    /// The model that fits these counts. Every symbol can be written in every context.
    #[must_use]
    pub fn fit<K: Kind>(counts: &Counts) -> Self {
        Self::from_list::<K>(&list::<K>(counts)).expect("a list made from counts is sound")
    }

    fn from_list<K: Kind>(list: &Listed) -> Option<Self> {
        let mut ranges = Vec::with_capacity(list.len());
        let mut entries = Vec::new();
        const NO_TABLE: u16 = u16::MAX;
        let mut own = vec![NO_TABLE; K::CONTEXTS as usize + 1];
        for (number, (context, symbols)) in list.iter().enumerate() {
            let first = entries.len() as u32;
            let mut seen = [false; 256];
            let mut start = 0_u32;
            for &(symbol, frequency) in symbols {
                if symbol >= K::SYMBOLS || frequency == 0 || seen[usize::from(symbol)] {
                    return None;
                }
                seen[usize::from(symbol)] = true;
                let share = Share { start: u16::try_from(start).ok()?, frequency };
                entries.push(Entry { share, symbol });
                start += u32::from(frequency);
            }
            if start + (usize::from(K::SYMBOLS) - symbols.len()) as u32 != SCALE {
                return None;
            }
            ranges.push((first, entries.len() as u32));
            let own = own.get_mut(*context as usize)?;
            *own = u16::try_from(number).ok().filter(|&number| number != NO_TABLE)?;
        }
        // The root stands first, under a context of its own.
        if own.pop() != Some(0) {
            return None;
        }
        let table = |context: u32| own[context as usize];
        let tables = (0..K::CONTEXTS)
            .map(|context| {
                let tables = [table(context), table(K::coarser(context))];
                tables.into_iter().find(|&table| table != NO_TABLE).unwrap_or(0)
            })
            .collect();
        Some(Self { tables, ranges, entries })
    }

    #[inline(always)]
    fn table(&self, context: u32) -> &[Entry] {
        let (from, to) = self.ranges[usize::from(self.tables[context as usize])];
        &self.entries[from as usize..to as usize]
    }

    /// The share of a symbol.
    ///
    /// # Panics
    /// If the kind of table has no such context.
    #[must_use]
    pub fn share(&self, context: u32, symbol: u8) -> Share {
        let table = self.table(context);
        if let Some(entry) = table.iter().find(|e| e.symbol == symbol) {
            return entry.share;
        }
        let before = (0..symbol).filter(|&s| table.iter().all(|e| e.symbol != s)).count();
        Share { start: tail(table) + before as u16, frequency: 1 }
    }

    /// The shares of all symbols, of which there are so many, for writing.
    #[must_use]
    pub fn shares(&self, symbols: u8) -> Shares {
        let symbols = usize::from(symbols);
        let mut all = Vec::with_capacity(self.ranges.len() * symbols);
        for &(from, to) in &self.ranges {
            let (table, first) = (&self.entries[from as usize..to as usize], all.len());
            all.resize(first + symbols, Share { start: 0, frequency: 0 });
            let shares = &mut all[first..];
            for entry in table {
                shares[usize::from(entry.symbol)] = entry.share;
            }
            let unnamed = shares.iter_mut().filter(|share| share.frequency == 0);
            for (share, start) in unnamed.zip(tail(table)..) {
                *share = Share { start, frequency: 1 };
            }
        }
        Shares { tables: self.tables.clone(), symbols, all }
    }

    /// Reads the next symbol.
    #[inline(always)]
    #[must_use]
    pub fn decode(&self, context: u32, decoder: &mut Decoder<'_>) -> u8 {
        let slot = decoder.peek();
        let table = self.table(context);
        for entry in table {
            if slot.wrapping_sub(entry.share.start) < entry.share.frequency {
                decoder.take(entry.share);
                return entry.symbol;
            }
        }
        let symbol = unnamed(table, slot - tail(table));
        decoder.take(Share { start: slot, frequency: 1 });
        symbol
    }

    /// The model as bytes, for [`Self::read`].
    #[must_use]
    pub fn write<K: Kind>(counts: &Counts) -> Vec<u8> {
        let list = list::<K>(counts);
        let mut bytes = Vec::new();
        put(&mut bytes, list.len() as u32);
        let mut last = 0;
        for (context, symbols) in list.iter().skip(1) {
            put(&mut bytes, context - last);
            last = *context;
            put_symbols(&mut bytes, symbols);
        }
        put_symbols(&mut bytes, &list[0].1);
        bytes
    }

    /// Reads a model.
    ///
    /// # Errors
    /// If the bytes are not those of a model of this kind.
    pub fn read<K: Kind>(bytes: &[u8]) -> Result<Self, NotAModel> {
        let mut bytes = bytes;
        let model = Self::try_read::<K>(&mut bytes);
        model.filter(|_| bytes.is_empty()).ok_or(NotAModel)
    }

    fn try_read<K: Kind>(bytes: &mut &[u8]) -> Option<Self> {
        let count = get(bytes)? as usize;
        if count == 0 || count > MOST_TABLES {
            return None;
        }
        let mut list: Listed = vec![(K::CONTEXTS, Vec::new())];
        let mut last = 0_u32;
        for _ in 1..count {
            let context = last.checked_add(get(bytes)?)?;
            if context >= K::CONTEXTS {
                return None;
            }
            last = context;
            list.push((context, get_symbols::<K>(bytes)?));
        }
        list[0].1 = get_symbols::<K>(bytes)?;
        Self::from_list::<K>(&list)
    }
}

/// Where the symbols without an entry begin.
fn tail(table: &[Entry]) -> u16 {
    table.last().map_or(0, |last| last.share.start + last.share.frequency)
}

/// The symbol that is `before`-th among those without an entry.
#[cold]
fn unnamed(table: &[Entry], before: u16) -> u8 {
    let mut free = (0..=u8::MAX).filter(|&s| table.iter().all(|e| e.symbol != s));
    free.nth(before.into()).unwrap_or(0)
}

/// Chooses the contexts that get a table of their own, the root first and then in order.
fn list<K: Kind>(counts: &Counts) -> Listed {
    let mut root = vec![0_u64; usize::from(K::SYMBOLS)];
    let mut coarse: FxHashMap<u32, Vec<u64>> = FxHashMap::default();
    let mut fine: FxHashMap<u32, Vec<u64>> = FxHashMap::default();
    let add = |to: &mut Vec<u64>, counts: &[u32]| {
        to.resize(counts.len(), 0);
        to.iter_mut().zip(counts).for_each(|(a, &b)| *a += u64::from(b));
    };
    for (context, counts) in counts.iter::<K>() {
        let seen: u64 = counts.iter().copied().map(u64::from).sum();
        let coarser = K::coarser(context);
        // A coarse context is also the fine context of some; it serves all that lead to it.
        if seen >= u64::from(RARE) && coarser != context {
            add(fine.entry(context).or_default(), counts);
        }
        add(coarse.entry(coarser).or_default(), counts);
        add(&mut root, counts);
    }
    coarse.retain(|_, counts| counts.iter().sum::<u64>() >= u64::from(RARE));
    fine.extend(coarse);
    let mut list: Listed = fine.into_iter().map(|(c, counts)| (c, frequencies(&counts))).collect();
    list.sort_unstable_by_key(|(context, _)| *context);
    list.truncate(MOST_TABLES - 1);
    list.insert(0, (K::CONTEXTS, frequencies(&root)));
    list
}

/// Frequencies that add up to [`SCALE`], in proportion to the counts and none of them zero; the
/// likeliest symbol first.
fn frequencies(counts: &[u64]) -> Vec<(u8, u16)> {
    let total = counts.iter().sum::<u64>().max(1);
    let spare = u64::from(SCALE) - counts.len() as u64;
    let mut list: Vec<(u8, u16)> = counts
        .iter()
        .enumerate()
        .map(|(symbol, &count)| (symbol as u8, (1 + count * spare / total) as u16))
        .collect();
    list.sort_by_key(|&(symbol, frequency)| (std::cmp::Reverse(frequency), symbol));
    let sum: u32 = list.iter().map(|&(_, f)| u32::from(f)).sum();
    list[0].1 += (SCALE - sum) as u16;
    let named = list.iter().position(|&(_, f)| f == 1).unwrap_or(list.len());
    list.truncate(named);
    list
}

/// A number in groups of seven bits, the lowest first.
fn put(bytes: &mut Vec<u8>, mut number: u32) {
    while number >= 0x80 {
        bytes.push(number as u8 | 0x80);
        number >>= 7;
    }
    bytes.push(number as u8);
}

fn get(bytes: &mut &[u8]) -> Option<u32> {
    let mut number = 0_u32;
    for shift in (0..28).step_by(7) {
        let (&first, rest) = bytes.split_first()?;
        *bytes = rest;
        number |= u32::from(first & 0x7F) << shift;
        if first < 0x80 {
            return Some(number);
        }
    }
    None
}

/// The symbols of a table; the frequency of the first follows from the rest.
fn put_symbols(bytes: &mut Vec<u8>, symbols: &[(u8, u16)]) {
    let (first, rest) = symbols.split_first().expect("a table has a likeliest symbol");
    put(bytes, rest.len() as u32);
    bytes.push(first.0);
    for (symbol, frequency) in rest {
        bytes.push(*symbol);
        put(bytes, u32::from(*frequency));
    }
}

fn get_symbols<K: Kind>(bytes: &mut &[u8]) -> Option<Vec<(u8, u16)>> {
    let rest = get(bytes)?;
    if rest >= u32::from(K::SYMBOLS) {
        return None;
    }
    let (&first, after) = bytes.split_first()?;
    *bytes = after;
    let mut list = vec![(first, 0)];
    let mut left = SCALE - (u32::from(K::SYMBOLS) - 1 - rest);
    for _ in 0..rest {
        let (&symbol, after) = bytes.split_first()?;
        *bytes = after;
        let frequency = u16::try_from(get(bytes)?).ok()?;
        left = left.checked_sub(frequency.into())?;
        list.push((symbol, frequency));
    }
    list[0].1 = left as u16;
    Some(list)
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Toy;
    impl Kind for Toy {
        const CONTEXTS: u32 = 20;
        const SYMBOLS: u8 = 5;
        fn coarser(context: u32) -> u32 {
            context / 4 * 4
        }
    }

    fn counts() -> Counts {
        let mut counts = Counts::default();
        let mut x = 7_u32;
        for _ in 0..3000 {
            x = x.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            let context = (x >> 16) % 17;
            counts.add::<Toy>(context, ((x >> 24) % (1 + context % 4)) as u8);
        }
        counts
    }

    #[test]
    fn a_model_is_read_as_it_was_written() {
        let counts = counts();
        let bytes = Model::write::<Toy>(&counts);
        let model = Model::fit::<Toy>(&counts);
        assert_eq!(Model::read::<Toy>(&bytes).as_ref(), Ok(&model));
        let shares = model.shares(Toy::SYMBOLS);
        for context in 0..Toy::CONTEXTS {
            assert!((0..Toy::SYMBOLS).all(|s| shares.of(context, s) == model.share(context, s)));
            let total: u32 =
                (0..Toy::SYMBOLS).map(|s| u32::from(model.share(context, s).frequency)).sum();
            assert_eq!(total, SCALE);
        }
    }

    #[test]
    fn damaged_models_are_refused_or_still_sound() {
        let bytes = Model::write::<Toy>(&counts());
        for i in 0..bytes.len() {
            assert!(Model::read::<Toy>(&bytes[..i]).is_err());
            for flip in [1, 0x80, 0xFF] {
                let mut damaged = bytes.clone();
                damaged[i] ^= flip;
                if let Ok(model) = Model::read::<Toy>(&damaged) {
                    assert!(model.tables.iter().all(|&t| usize::from(t) < model.ranges.len()));
                }
            }
        }
    }
}
