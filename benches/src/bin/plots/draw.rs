//! One picture: lines over a logarithmic axis.

use std::path::Path;

use kpn_benches::runner::Error;
use plotters::coord::Shift;
use plotters::coord::ranged1d::{AsRangedCoord, ValueFormatter};
use plotters::prelude::*;

use crate::data::{LOOP, Point, Points, is_loop};

/// How the vertical axis runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Scale {
    FromZero,
    Log,
}

/// A line, its points in the order of x.
#[derive(Clone, Debug)]
pub(crate) struct Series {
    name: String,
    points: Vec<(f64, f64)>,
}

/// What is drawn.
#[derive(Clone, Debug)]
pub(crate) struct Chart {
    pub(crate) title: String,
    pub(crate) x: String,
    /// The marks on the horizontal axis are powers of this.
    pub(crate) x_base: f64,
    pub(crate) y: String,
    pub(crate) y_scale: Scale,
    pub(crate) series: Vec<Series>,
}

/// The first six differ for colour-blind eyes too (Okabe and Ito 2008); the loops have greys.
const COLOURS: [RGBColor; 10] = [
    RGBColor(0, 114, 178),
    RGBColor(213, 94, 0),
    RGBColor(0, 158, 115),
    RGBColor(204, 121, 167),
    RGBColor(230, 159, 0),
    RGBColor(86, 180, 233),
    RGBColor(140, 130, 20),
    RGBColor(110, 60, 160),
    RGBColor(120, 70, 40),
    RGBColor(20, 60, 70),
];

const SIZE: (u32, u32) = (860, 500);

impl Chart {
    /// Adds the series of `points` that are `wanted`, at the points that have a place.
    pub(crate) fn add_all(
        &mut self,
        points: &Points,
        x: impl Fn(&Point) -> Option<f64>,
        y: impl Fn(&Points, &Point) -> Option<f64>,
        wanted: impl Fn(&str) -> bool,
    ) {
        for name in points.names().into_iter().filter(|name| wanted(name)) {
            let of_series = points.iter().filter(|point| point.name == name);
            let mut line: Vec<(f64, f64)> =
                of_series.filter_map(|point| Some((x(point)?, y(points, point)?))).collect();
            line.sort_by(|a, b| a.0.total_cmp(&b.0));
            if !line.is_empty() {
                self.series.push(Series { name: name.to_owned(), points: line });
            }
        }
    }

    /// Writes the picture.
    ///
    /// # Errors
    ///
    /// Where the file can't be written.
    pub(crate) fn draw(&self, path: &Path) -> Result<(), Error> {
        let all = || self.series.iter().flat_map(|series| &series.points);
        let least = |f: fn(&(f64, f64)) -> f64| all().map(f).fold(f64::MAX, f64::min);
        let most = |f: fn(&(f64, f64)) -> f64| all().map(f).fold(f64::MIN, f64::max);
        let area = SVGBackend::new(path, SIZE).into_drawing_area();
        area.fill(&WHITE)?;
        let x = (least(|point| point.0) * 0.9..most(|point| point.0) * 1.1).log_scale().base(self.x_base);
        let (low, high) = (least(|point| point.1), most(|point| point.1));
        match self.y_scale {
            Scale::FromZero => self.draw_on(&area, x, 0.0..high * 1.08)?,
            Scale::Log => self.draw_on(&area, x, (low * 0.8..high * 1.25).log_scale())?,
        }
        area.present()?;
        Ok(())
    }

    fn draw_on<X, Y>(&self, area: &DrawingArea<SVGBackend<'_>, Shift>, x: X, y: Y) -> Result<(), Error>
    where
        X: AsRangedCoord<Value = f64>,
        Y: AsRangedCoord<Value = f64>,
        X::CoordDescType: ValueFormatter<f64>,
        Y::CoordDescType: ValueFormatter<f64>,
    {
        // The names stand beside the lines, which would hide them otherwise.
        let (chart, names) = area.split_horizontally(SIZE.0 - 210);
        let mut context = ChartBuilder::on(&chart)
            .caption(&self.title, ("sans-serif", 20))
            .margin(12)
            .x_label_area_size(44)
            .y_label_area_size(64)
            .build_cartesian_2d(x, y)?;
        context
            .configure_mesh()
            .light_line_style(WHITE)
            .bold_line_style(BLACK.mix(0.12))
            .x_desc(&self.x)
            .y_desc(&self.y)
            .x_label_formatter(&|x| number(*x))
            .y_label_formatter(&|y| number(*y))
            .axis_desc_style(("sans-serif", 15))
            .label_style(("sans-serif", 13))
            .draw()?;
        let mut colours = COLOURS.iter().cycle();
        for (i, Series { name, points }) in self.series.iter().enumerate() {
            let colour = match name.as_str() {
                LOOP => BLACK.mix(0.35),
                name if is_loop(name) => BLACK.mix(0.8),
                _ => colours.next().unwrap_or(&BLACK).mix(1.0),
            };
            let style = colour.stroke_width(if name.starts_with("kpn") { 3 } else { 1 });
            context.draw_series(LineSeries::new(points.iter().copied(), style))?;
            context.draw_series(points.iter().map(|&point| Circle::new(point, 3, colour.filled())))?;
            let y = 60 + 22 * i as i32;
            names.draw(&PathElement::new([(4, y), (30, y)], style))?;
            names.draw(&Text::new(name.as_str(), (38, y - 8), ("sans-serif", 14)))?;
        }
        Ok(())
    }
}

/// A label without digits that say nothing.
fn number(x: f64) -> String {
    if x >= 100.0 { format!("{x:.0}") } else { format!("{}", (x * 100.0).round() / 100.0) }
}
