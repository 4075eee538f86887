use super::*;

/// R, G, B and the Y', Cb, Cr that the recommendations' formulas give, rounded.
const KNOWN: &[(Colour, [u8; 3], [u8; 3])] = &[
    (Colour::SD, [255, 255, 255], [235, 128, 128]),
    (Colour::SD, [0, 0, 0], [16, 128, 128]),
    (Colour::SD, [255, 0, 0], [81, 90, 240]),
    (Colour::SD, [0, 255, 0], [145, 54, 34]),
    (Colour::SD, [0, 0, 255], [41, 240, 110]),
    (Colour::HD, [255, 0, 0], [63, 102, 240]),
    (Colour::HD, [0, 255, 0], [173, 42, 26]),
    (Colour::HD, [0, 0, 255], [32, 240, 118]),
    (Colour::JPEG, [255, 255, 255], [255, 128, 128]),
    (Colour::JPEG, [255, 0, 0], [76, 85, 255]),
    (Colour::JPEG, [0, 255, 0], [150, 44, 21]),
    (Colour::JPEG, [0, 0, 255], [29, 255, 107]),
];

#[test]
fn known_colours_convert_both_ways() {
    for &(colour, rgb, yuv) in KNOWN {
        let frame = Frame::from_vec(Layout::Rgb8, 1, 1, colour, rgb.to_vec());
        let planar = frame.to(Layout::Yuv444, colour);
        assert_eq!(planar.to_vec(), yuv, "{colour:?} {rgb:?}");
        for (back, want) in planar.to_rgb().to_vec().iter().zip(rgb) {
            assert!(back.abs_diff(want) <= 2, "{colour:?} {rgb:?}: back to {back}");
        }
    }
}

#[test]
fn gray_is_luma() {
    let frame = Frame::from_vec(Layout::Rgb8, 1, 1, Colour::SD, vec![255, 0, 0]);
    assert_eq!(frame.to(Layout::Gray, Colour::SD).to_vec(), [81]);
    let gray = Frame::from_vec(Layout::Gray, 1, 1, Colour::SD, vec![235]);
    assert_eq!(gray.to_rgb().to_vec(), [255, 255, 255]);
    assert_eq!(gray.to(Layout::Yuv420, Colour::SD).to_vec(), [235, 128, 128]);
}

#[test]
fn range_changes_through_rgb() {
    let frame = Frame::from_vec(Layout::Yuv444, 1, 1, Colour::SD, vec![235, 128, 128]);
    assert_eq!(frame.to(Layout::Yuv444, Colour::JPEG).to_vec(), [255, 128, 128]);
}

#[test]
fn odd_sizes_round_chroma_up() {
    for (w, h) in [(1, 1), (3, 5), (7, 4), (4, 7)] {
        for layout in [Layout::Yuv420, Layout::Yuv422, Layout::Yuv444, Layout::Gray, Layout::Rgba8] {
            let rgb: Vec<u8> = (0..w * h).flat_map(|_| [10, 200, 90]).collect();
            let frame = Frame::from_vec(Layout::Rgb8, w, h, Colour::HD, rgb.clone());
            let there = frame.to(layout, Colour::HD);
            assert_eq!(there.size(), (w, h));
            if layout != Layout::Gray {
                let back = there.to_rgb().to_vec();
                assert!(back.iter().zip(&rgb).all(|(a, b)| a.abs_diff(*b) <= 2), "{layout:?}");
            }
            let even = there.padded_to(w.next_multiple_of(2), h.next_multiple_of(2));
            assert_eq!(even.size(), (w.next_multiple_of(2), h.next_multiple_of(2)));
            assert_eq!(even.rows(0, 1).plane(0).row(0)[0], there.plane(0).row(0)[0]);
        }
    }
    assert_eq!(Layout::Yuv420.plane_size(1, 5, 3), (3, 2));
}

#[test]
fn chroma_goes_up_and_down_again_unchanged() {
    let data: Vec<u8> = (0..Layout::Yuv420.tight_len(7, 5)).map(|i| (i * 37 % 251) as u8).collect();
    let frame = Frame::from_vec(Layout::Yuv420, 7, 5, Colour::SD, data);
    for via in [Layout::Yuv422, Layout::Yuv444] {
        assert_eq!(frame.to(via, Colour::SD).to(Layout::Yuv420, Colour::SD), frame);
    }
}

#[test]
fn strides_and_padding_do_not_count() {
    let tight = Frame::from_vec(Layout::Gray, 2, 2, Colour::SD, vec![1, 2, 3, 4]);
    let wide = Frame::with_strides(Layout::Gray, (2, 2), Colour::SD, [3, 0, 0], vec![1, 2, 99, 3, 4, 98]);
    assert_eq!(tight, wide);
    assert_eq!(wide.to_vec(), [1, 2, 3, 4]);
}

#[test]
fn writing_to_a_shared_frame_copies_it() {
    let first = Frame::blank(Layout::Yuv420, 4, 4, Colour::SD);
    let mut second = first.clone();
    second.row_mut(0, 0)[0] = 200;
    assert_eq!(first.plane(0).row(0)[0], 16);
    assert_eq!(second.plane(0).row(0)[0], 200);
}

#[test]
fn rows_of_odd_height_keep_their_chroma() {
    let frame = Frame::blank(Layout::Yuv420, 3, 7, Colour::SD);
    assert_eq!(frame.rows(4, 7).size(), (3, 3));
    assert_eq!(frame.rows(4, 7).plane(1).height, 2);
}
