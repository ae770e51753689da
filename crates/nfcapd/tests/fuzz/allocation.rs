//! How many bytes the process has allocated: now, and at most since it was last asked to forget.
//!
//! An allocator is unsafe by its interface; this one hands everything on to the system's, and counts.

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

struct Counting;

static LIVE: AtomicUsize = AtomicUsize::new(0);
static LARGEST: AtomicUsize = AtomicUsize::new(0);

#[global_allocator]
static COUNTING: Counting = Counting;

// SAFETY: pointers and layouts come from and go to the system's allocator unchanged.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        add(layout.size());
        // SAFETY: the caller keeps the contract of `alloc`, which is the same.
        unsafe { System.alloc(layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        add(layout.size());
        // SAFETY: as above.
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        LIVE.fetch_sub(layout.size(), Relaxed);
        // SAFETY: as above.
        unsafe { System.dealloc(pointer, layout) }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        // both exist while the content is copied
        add(size);
        LIVE.fetch_sub(layout.size(), Relaxed);
        // SAFETY: as above.
        unsafe { System.realloc(pointer, layout, size) }
    }
}

fn add(size: usize) {
    let now = LIVE.fetch_add(size, Relaxed) + size;
    LARGEST.fetch_max(now, Relaxed);
}

pub fn live_bytes() -> usize {
    LIVE.load(Relaxed)
}

pub fn largest_bytes() -> usize {
    LARGEST.load(Relaxed)
}

pub fn forget_largest() {
    LARGEST.store(live_bytes(), Relaxed);
}
