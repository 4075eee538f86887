//! A process that burns a core, to measure beside.

use std::env::{current_exe, var_os};
use std::io;
use std::process::{Child, Command, Stdio};

use crate::work::burn;

const ASKED: &str = "KPN_BENCHES_BURN";

/// Burns a core until it is dropped.
#[derive(Debug)]
pub struct Burner(Child);

impl Burner {
    /// Starts this program again, which must call [`burn_if_asked`] before anything else.
    ///
    /// # Errors
    ///
    /// Where the program can't be started.
    pub fn start() -> io::Result<Self> {
        let mut again = Command::new(current_exe()?);
        again.env(ASKED, "1").stdin(Stdio::piped()).stdout(Stdio::null()).spawn().map(Self)
    }
}

impl Drop for Burner {
    fn drop(&mut self) {
        // Whether it runs no more or can't be killed, there is nothing left to do here.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// In a process that [`Burner::start`] made: burns until it is killed, or whoever started it is gone.
pub fn burn_if_asked() {
    if var_os(ASKED).is_none() {
        return;
    }
    std::thread::spawn(|| {
        // The pipe ends with whoever holds its other end.
        let _ = io::copy(&mut io::stdin(), &mut io::sink());
        std::process::exit(0);
    });
    loop {
        burn(1, 1_000_000);
    }
}
