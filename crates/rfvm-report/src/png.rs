//! Pictures as pixels, for those who cannot use SVG: slides, word processors, some journals.

use std::io;
use std::sync::{Arc, Once};

use resvg::tiny_skia::{Color, Pixmap, Transform};
use resvg::usvg::fontdb::{Database, FaceInfo, Family, Query, Style, Weight};
use resvg::usvg::{FallbackSelectionFn, FontResolver, FontSelectionFn, Options, Tree};

/// How wide a picture is in print.
const INCHES: f32 = 6.0;
const DOTS_PER_INCH: f32 = 300.0;
const INCHES_PER_METRE: f32 = 39.370_08;

/// The font that comes along.
const FONT: &str = "Noto Sans";

/// The picture of [`standalone`](crate::standalone) as a PNG file, six inches wide at 300 dots an inch. It looks the same on
/// every machine: the font comes along, and those installed are asked for characters alone that it lacks.
///
/// ```
/// let svg = r#"<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 20 10"><rect width="20" height="10"/></svg>"#;
/// assert!(rfvm_report::to_png(svg)?.starts_with(b"\x89PNG"));
/// # Ok::<(), std::io::Error>(())
/// ```
pub fn to_png(svg: &str) -> io::Result<Vec<u8>> {
    let mut fonts = Database::new();
    fonts.load_font_data(ttf_noto_sans::REGULAR.to_vec());
    fonts.load_font_data(ttf_noto_sans::BOLD.to_vec());
    let options = Options {
        font_resolver: FontResolver {
            select_font: own_font(),
            select_fallback: installed_fonts(),
        },
        fontdb: Arc::new(fonts),
        ..Options::default()
    };
    let tree = Tree::from_str(svg, &options).map_err(io::Error::other)?;
    let size = tree.size();
    let scale = INCHES * DOTS_PER_INCH / size.width();
    let dots = |units: f32| (units * scale).round() as u32;
    let mut pixels = Pixmap::new(dots(size.width()), dots(size.height()))
        .ok_or_else(|| io::Error::other("the picture is too large for a PNG file"))?;
    // What is not drawn is paper.
    pixels.fill(Color::WHITE);
    resvg::render(
        &tree,
        Transform::from_scale(scale, scale),
        &mut pixels.as_mut(),
    );
    encode(&pixels)
}

/// The font that comes along, whatever a picture names: as many letters fit between two ticks on every machine.
fn own_font() -> FontSelectionFn<'static> {
    Box::new(|font, fonts| {
        fonts.query(&Query {
            families: &[Family::Name(FONT)],
            weight: Weight(font.weight()),
            ..Query::default()
        })
    })
}

/// Loads the machine's fonts when a character is met that the font at hand lacks, and not before: they may be thousands.
fn installed_fonts() -> FallbackSelectionFn<'static> {
    let select = FontResolver::default_fallback_selector();
    let load = Once::new();
    Box::new(move |character, used, fonts| {
        load.call_once(|| Arc::make_mut(fonts).load_system_fonts());
        // One that looks like it, if there is one: the first of those used is what the letters around are drawn in.
        let weight = used
            .first()
            .and_then(|id| fonts.face(*id))
            .map(|face| face.weight);
        let unlike = |face: &&FaceInfo| {
            let sans = |name: &str| name.contains("Sans") && !name.contains("Mono");
            let sans = face.families.iter().any(|(name, _)| sans(name));
            !sans || Some(face.weight) != weight || face.style != Style::Normal
        };
        let mut passed = used.to_vec();
        passed.extend(fonts.faces().filter(unlike).map(|face| face.id));
        select(character, &passed, fonts).or_else(|| select(character, used, fonts))
    })
}

fn encode(pixels: &Pixmap) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    let mut encoder = png::Encoder::new(&mut bytes, pixels.width(), pixels.height());
    encoder.set_color(png::ColorType::Rgb);
    encoder.set_depth(png::BitDepth::Eight);
    let dots = (DOTS_PER_INCH * INCHES_PER_METRE).round() as u32;
    encoder.set_pixel_dims(Some(png::PixelDimensions {
        xppu: dots,
        yppu: dots,
        unit: png::Unit::Meter,
    }));
    // The ground is opaque, so that nothing is lost with the fourth number.
    let rgb: Vec<u8> = (pixels.data().as_chunks::<4>().0.iter())
        .flat_map(|&[red, green, blue, _]| [red, green, blue])
        .collect();
    encoder
        .write_header()
        .and_then(|mut writer| writer.write_image_data(&rgb))
        .map_err(io::Error::other)?;
    Ok(bytes)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::{Axis, Bar, Bars, Color as Shade, standalone};

    fn decoded(svg: &str) -> (u32, u32, Vec<u8>) {
        let bytes = to_png(svg).unwrap();
        let mut reader = png::Decoder::new(io::Cursor::new(bytes))
            .read_info()
            .unwrap();
        let mut rgb = vec![0; reader.output_buffer_size().unwrap()];
        let frame = reader.next_frame(&mut rgb).unwrap();
        (frame.width, frame.height, rgb)
    }

    fn bars(name: &str) -> String {
        let bar = Bar::new(name, 1.0, Shade::Vermillion, "");
        standalone(&Bars::new("b", "bars", "one", Axis::new("x"), vec![bar]))
    }

    #[test]
    fn colours_of_classes_arrive_and_the_ground_is_white() {
        let (width, _, rgb) = decoded(&bars("gene"));
        assert_eq!(width, 1800);
        assert_eq!(rgb[..3], [255; 3]);
        let (pixels, _) = rgb.as_chunks::<3>();
        assert!(pixels.contains(&[0xd5, 0x5e, 0x00]));
    }

    #[test]
    fn letters_are_drawn_in_the_font_that_comes_along() {
        let dark = |name: &str| {
            let (_, _, rgb) = decoded(&bars(name));
            let (pixels, _) = rgb.as_chunks::<3>();
            let ink = |rgb: &&[u8; 3]| rgb.iter().all(|&value| value < 100);
            pixels.iter().filter(ink).count()
        };
        let none = dark(" ");
        for name in ["HBA1", "Größe", "λ-κ", "Ген", "α ≥ 2 ± 1…"] {
            assert!(dark(name) > none + 500, "{name}");
        }
        // What it lacks is looked for among those installed, which leaves all other words as they are.
        assert!(dark("α₁") > none);
    }

    #[test]
    fn names_that_no_picture_can_hold_are_no_error() {
        let (width, _, _) = decoded(&bars("a\u{1b}[31m<b>&\0\u{ffff}"));
        assert_eq!(width, 1800);
        assert!(to_png("no picture").is_err());
    }
}
