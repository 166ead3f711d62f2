//! Sets of points as bit masks, made from the oracle's lists, and the index of a position in its
//! sector.

use crate::oracle;

/// All 24 points.
pub(super) const BOARD: u32 = (1 << 24) - 1;

/// Lines and neighbours as sets.
pub(super) struct Geometry {
    /// The 16 lines.
    lines: [u32; 16],
    /// For every point the other two points of each of its two lines.
    partners: [[u32; 2]; 24],
    /// For every point the points joined to it.
    neighbours: [u32; 24],
}

impl Geometry {
    pub(super) fn new() -> Geometry {
        let mut geometry = Geometry { lines: [0; 16], partners: [[0; 2]; 24], neighbours: [0; 24] };
        for (set, line) in geometry.lines.iter_mut().zip(oracle::lines()) {
            *set = line.iter().map(|on| 1 << on).sum();
        }
        for on in 0..24 {
            let mut through = geometry.lines.iter().filter(|&&line| line >> on & 1 == 1);
            for partner in &mut geometry.partners[on] {
                *partner = through.next().expect("two lines a point") & !(1 << on);
            }
            geometry.neighbours[on] = oracle::neighbours(on).iter().map(|next| 1 << next).sum();
        }
        geometry
    }

    /// Whether a stone on `on` stands in a mill with stones of `set` (which may hold `on` itself or
    /// not).
    pub(super) fn in_mill(&self, set: u32, on: u32) -> bool {
        let [first, second] = self.partners[on as usize];
        set & first == first || set & second == second
    }

    /// The points a stone of a side may go to, or may have come from, before looking at what stands
    /// there: all when the side has three stones, else the neighbours.
    pub(super) fn reach(&self, on: u32, flies: bool) -> u32 {
        if flies { BOARD } else { self.neighbours[on as usize] }
    }

    /// Every pair of an empty point and two stones of `set` that form a line with it: `(point, two
    /// stones)`.
    pub(super) fn closing(&self, set: u32, empty: u32) -> impl Iterator<Item = (u32, u32)> {
        self.lines.iter().filter_map(move |&line| {
            let stones = line & set;
            let open = line & empty;
            (stones.count_ones() == 2 && open != 0).then(|| (open.trailing_zeros(), stones))
        })
    }

    /// The stones of `set` that may be captured: those outside mills, or all when there are none
    /// such.
    pub(super) fn capturable(&self, set: u32) -> u32 {
        let loose: u32 = points(set).filter(|&on| !self.in_mill(set, on)).map(|on| 1 << on).sum();
        if loose == 0 { set } else { loose }
    }
}

/// The points of a set, in rising order.
pub(super) fn points(mut set: u32) -> impl Iterator<Item = u32> {
    std::iter::from_fn(move || {
        let on = set.trailing_zeros();
        // Dropping the lowest bit of an empty set leaves it empty.
        set &= set.wrapping_sub(1);
        (on < 32).then_some(on)
    })
}

/// How the positions of a sector are numbered: all sets of the side to move in rising order, and
/// for each of them all sets of the other side on the points left free, in rising order.
pub(super) struct Layout {
    /// The sets of the side to move by number.
    mover_sets: Vec<u32>,
    /// The sets of the other side by number, on the free points pushed together.
    other_sets: Vec<u32>,
    /// Number of combinations of `k` out of `n` things, by `n` and `k`.
    binomial: [[u32; 10]; 25],
}

impl Layout {
    pub(super) fn new(mover: u8, other: u8) -> Layout {
        Layout {
            mover_sets: sets_of_size(24, mover),
            other_sets: sets_of_size(24 - mover, other),
            binomial: binomial(),
        }
    }

    /// Number of positions.
    pub(super) fn len(&self) -> usize {
        self.mover_sets.len() * self.other_sets.len()
    }

    /// The number of the position with these stones.
    pub(super) fn index(&self, mover_set: u32, other_set: u32) -> usize {
        let mut block = 0;
        for (nth, on) in points(mover_set).enumerate() {
            block += self.binomial[on as usize][nth + 1];
        }
        let mut within = 0;
        for (nth, on) in points(other_set).enumerate() {
            let pushed = on - (mover_set & ((1 << on) - 1)).count_ones();
            within += self.binomial[pushed as usize][nth + 1];
        }
        block as usize * self.other_sets.len() + within as usize
    }

    /// The stones of the position with this number: of the side to move, and of the other.
    pub(super) fn sets(&self, index: usize) -> (u32, u32) {
        let mover_set = self.mover_sets[index / self.other_sets.len()];
        let free = FreePoints::of(mover_set);
        (mover_set, free.spread(self.other_sets[index % self.other_sets.len()]))
    }

    /// Calls `visit(index, mover_set, other_set)` for all positions in order.
    pub(super) fn for_all(&self, mut visit: impl FnMut(usize, u32, u32)) {
        let mut index = 0;
        for &mover_set in &self.mover_sets {
            let free = FreePoints::of(mover_set);
            for &other in &self.other_sets {
                visit(index, mover_set, free.spread(other));
                index += 1;
            }
        }
    }
}

/// The points a set leaves free, in rising order.
struct FreePoints([u32; 24]);

impl FreePoints {
    fn of(set: u32) -> FreePoints {
        let mut list = [0; 24];
        for (entry, on) in list.iter_mut().zip(points(BOARD & !set)) {
            *entry = on;
        }
        FreePoints(list)
    }

    /// The set on the board of a set of free points pushed together.
    fn spread(&self, pushed: u32) -> u32 {
        points(pushed).map(|nth| 1 << self.0[nth as usize]).sum()
    }
}

/// All sets of `size` of the points below `bound`, in rising order, which is the order of
/// [`Layout::index`].
fn sets_of_size(bound: u8, size: u8) -> Vec<u32> {
    (0..1_u32 << bound).filter(|set| set.count_ones() == u32::from(size)).collect()
}

fn binomial() -> [[u32; 10]; 25] {
    let mut table = [[0; 10]; 25];
    table[0][0] = 1;
    for n in 1..25 {
        table[n][0] = 1;
        for k in 1..10 {
            table[n][k] = table[n - 1][k - 1] + table[n - 1][k];
        }
    }
    table
}
