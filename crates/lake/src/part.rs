//! A Parquet file in the making.

use std::io;
use std::sync::Arc;

use bytes::Bytes;
use hntes_nfcapd::{LAKE_COLUMNS, Numbers, Room, RowGroup, Values, row_order};
use parquet::basic::{Compression, Encoding, LogicalType, Repetition, Type as Physical, ZstdLevel};
use parquet::column::page::{CompressedPage, Page, PageWriter};
use parquet::column::writer::ColumnCloseResult;
use parquet::errors::ParquetError;
use parquet::file::metadata::{ColumnChunkMetaData, KeyValue};
use parquet::file::properties::WriterProperties;
use parquet::file::statistics::Statistics;
use parquet::file::writer::{SerializedFileWriter, SerializedPageWriter, TrackedWrite};
use parquet::schema::types::{ColumnDescPtr, Type};
use zstd::bulk::Compressor;

use crate::encode::{self, Pages, Way};

const LEVEL: i32 = 1;
/// The only column that older parts lack: it may have nulls, though none is written.
const NULLABLE: &str = "tos";
/// Queries choose row groups by the least and the most of these.
const WITH_STATISTICS: [&str; 2] = ["first_ms", "last_ms"];
/// Columns of many different values, by measurement (docs/reference/benchmarks.md); the others mostly have few.
const SPLIT: [&str; 3] = ["last_ms", "src_lo", "dst_lo"];
/// By which rows are ordered within those of one exporter and the same interfaces.
const ORDERED: &str = "first_ms";
/// Where there are not at least so many rows for each value, a dictionary takes more bytes than it saves.
const ROWS_FOR_EACH: usize = 4;

/// Why a part cannot be written.
#[derive(Debug)]
pub struct PartError(String);

impl std::fmt::Display for PartError {
    fn fmt(&self, to: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        to.write_str(&self.0)
    }
}

impl std::error::Error for PartError {}

impl From<ParquetError> for PartError {
    fn from(cause: ParquetError) -> Self {
        Self(cause.to_string())
    }
}

impl From<io::Error> for PartError {
    fn from(cause: io::Error) -> Self {
        Self(cause.to_string())
    }
}

/// A Parquet file whose bytes are handed over as they come.
pub struct Part {
    writer: SerializedFileWriter<Vec<u8>>,
    columns: Vec<ColumnDescPtr>,
    compressor: Compressor<'static>,
    pages: Pages,
    room: Room,
}

impl Part {
    /// A file without rows.
    ///
    /// # Errors
    /// There is no memory for the compressor.
    pub fn new() -> Result<Self, PartError> {
        let writer = SerializedFileWriter::new(Vec::new(), schema()?, Arc::new(WriterProperties::new()))?;
        let columns = writer.schema_descr().columns().to_vec();
        let compressor = Compressor::new(LEVEL)?;
        Ok(Self { writer, columns, compressor, pages: Pages::default(), room: Room::default() })
    }

    /// Writes rows, at least one, in the lake's order; `group` has them in that order afterwards.
    ///
    /// # Errors
    /// They cannot be compressed.
    pub fn write(&mut self, group: &mut RowGroup) -> Result<(), PartError> {
        group.columns_mut().iter_mut().for_each(Values::settle);
        let order = row_order(group);
        let mut writer = self.writer.next_row_group()?;
        for (number, values) in group.columns_mut().iter_mut().enumerate() {
            values.put_in_order(&order, &mut self.room);
            let (bytes, result) = chunk(&self.columns[number], values, &mut self.compressor, &mut self.pages)?;
            writer.append_column(&bytes, result)?;
        }
        writer.close()?;
        Ok(())
    }

    /// The bytes written since this was called last.
    ///
    /// # Errors
    /// None that is known: they are in memory.
    pub fn take_bytes(&mut self) -> Result<Vec<u8>, PartError> {
        self.writer.flush()?;
        Ok(std::mem::take(self.writer.inner_mut()))
    }

    /// Writes the footer with these names and values, and returns the last bytes.
    ///
    /// # Errors
    /// None that is known.
    pub fn finish(mut self, footer: impl IntoIterator<Item = (String, String)>) -> Result<Vec<u8>, PartError> {
        for (name, value) in footer {
            self.writer.append_key_value_metadata(KeyValue::new(name, value));
        }
        Ok(self.writer.into_inner()?)
    }
}

/// The lake's schema, as `etl/schema.py` has it.
fn schema() -> Result<Arc<Type>, PartError> {
    let fields = LAKE_COLUMNS.iter().map(|(name, width)| {
        let physical = if *width == 8 { Physical::INT64 } else { Physical::INT32 };
        let bits = (*width < 4).then_some(LogicalType::Integer { bit_width: *width as i8 * 8, is_signed: true });
        let repetition = if *name == NULLABLE { Repetition::OPTIONAL } else { Repetition::REQUIRED };
        let field = Type::primitive_type_builder(name, physical).with_repetition(repetition).with_logical_type(bits);
        field.build().map(Arc::new)
    });
    let fields = fields.collect::<Result<_, _>>()?;
    Ok(Arc::new(Type::group_type_builder("schema").with_fields(fields).build()?))
}

/// A column of a row group: the bytes of its pages, and what is said of them.
fn chunk(
    column: &ColumnDescPtr,
    values: &Values,
    compressor: &mut Compressor<'static>,
    pages: &mut Pages,
) -> Result<(Bytes, ColumnCloseResult), PartError> {
    encode(column, values, pages);
    let written = write_pages(values, compressor, pages)?;
    let mut encodings = vec![Encoding::RLE, pages.encoding()];
    if pages.distinct > 0 {
        encodings.push(Encoding::PLAIN);
    }
    let mut said = ColumnChunkMetaData::builder(Arc::clone(column))
        .set_compression(Compression::ZSTD(ZstdLevel::try_new(LEVEL)?))
        .set_encodings(encodings)
        .set_total_compressed_size(written.bytes.len() as i64)
        .set_total_uncompressed_size(written.uncompressed_bytes as i64)
        .set_num_values(values.rows() as i64)
        .set_data_page_offset(written.data_page_offset as i64)
        .set_dictionary_page_offset((pages.distinct > 0).then_some(0));
    if WITH_STATISTICS.contains(&column.name()) {
        said = said.set_statistics(statistics(values));
    }
    let result = ColumnCloseResult {
        bytes_written: written.bytes.len() as u64,
        rows_written: values.rows() as u64,
        metadata: said.build()?,
        bloom_filter: None,
        column_index: None,
        offset_index: None,
    };
    Ok((written.bytes.into(), result))
}

/// Pages behind one another, and what the metadata say of them.
struct WrittenPages {
    bytes: Vec<u8>,
    uncompressed_bytes: usize,
    data_page_offset: u64,
}

fn write_pages(
    values: &Values,
    compressor: &mut Compressor<'static>,
    pages: &Pages,
) -> Result<WrittenPages, PartError> {
    let mut sink = TrackedWrite::new(Vec::new());
    let mut writer = SerializedPageWriter::new(&mut sink);
    let mut uncompressed_bytes = 0;
    if pages.distinct > 0 {
        let page = Page::DictionaryPage {
            buf: compressor.compress(&pages.dictionary)?.into(),
            num_values: pages.distinct as u32,
            encoding: Encoding::PLAIN,
            is_sorted: false,
        };
        uncompressed_bytes += writer.write_page(CompressedPage::new(page, pages.dictionary.len()))?.uncompressed_size;
    }
    let page = Page::DataPage {
        buf: compressor.compress(&pages.rows)?.into(),
        num_values: values.rows() as u32,
        encoding: pages.encoding(),
        def_level_encoding: Encoding::RLE,
        rep_level_encoding: Encoding::RLE,
        statistics: None,
    };
    let page = writer.write_page(CompressedPage::new(page, pages.rows.len()))?;
    uncompressed_bytes += page.uncompressed_size;
    Ok(WrittenPages { bytes: sink.into_inner()?, uncompressed_bytes, data_page_offset: page.offset })
}

fn encode(column: &ColumnDescPtr, values: &Values, pages: &mut Pages) {
    let width = if column.physical_type() == Physical::INT64 { 8 } else { 4 };
    pages.clear();
    if column.max_def_level() > 0 {
        encode::levels_of_no_null(values.rows(), &mut pages.rows);
    }
    let way = way(column.name());
    match (values.same(), values.numbers()) {
        (Some(value), _) => encode::same(value, values.rows(), width, pages),
        (None, Numbers::Narrow(base, numbers)) => encode::values(numbers, base, width, way, pages),
        (None, Numbers::Wide(values)) => encode::values(values, 0, width, way, pages),
    }
}

fn statistics(values: &Values) -> Statistics {
    let (least, most) = values.span().unzip();
    Statistics::int64(least, most, None, Some(0), false)
}

fn way(column: &str) -> Way {
    if column == ORDERED {
        Way::Ordered
    } else if SPLIT.contains(&column) {
        Way::Split
    } else {
        Way::FewValues(ROWS_FOR_EACH)
    }
}
