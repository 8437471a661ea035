// What the host tells the device: gpu/plan/layout.py has the same fields, and a test compares the two.
// Addresses are of device memory. Everything here was checked on the host, but for what stands in payloads.

// One table to expand for look-up. frequencies: of 256 symbols, then that of the escape; they sum to 1 << prob_bits.
struct TableJob {
    const u16* frequencies;
    u8* plane;         // the expanded tables of its plane
    u16 escape_byte;   // what the escape decodes to: a symbol of frequency 0; 256 without an escape
    u8 prob_bits;
    u8 by_context;     // whether the plane has a table for each context
    u8 number;         // the context
    u8 n_tables;       // of its plane
    u16 reserved;
};

// One plane of one block. bytes: of a payload in storage raw and rANS; in storage constant the constant.
struct Payload {
    u32 storage;
    u32 bytes;
    u32 offset;  // from Frame::payloads; a multiple of 16
};

constexpr u32 kStorageRaw = 0;
constexpr u32 kStorageConstant = 1;
constexpr u32 kStorageRans = 2;

// What codes one plane of a frame.
struct Plane {
    u32 tables;     // the offset of its expanded tables from Frame::tables; a multiple of 16
    u8 mode;        // plane_mode of the format
    u8 prob_bits;
    u8 has_escape;  // in any of its tables
    u8 n_tables;    // 0 if it is never rANS
    u8 stream;      // its number among the planes that have tables
    u8 reserved[3];
    u16 escape_bytes[kMaxTables];
};

constexpr u32 kModeOneTable = 1;
constexpr u32 kModeContexts = 2;
constexpr u32 kModeLowContexts = 3;

struct Section {
    u32 first_element;
    u32 n_columns;
    u32 first_column;
    i32 base;     // limited to +-2^26, which no clamped scale can tell from more
    u32 rows;     // where its row factors begin in Frame::factors
    u32 columns;
};

// A block group. Inputs that it does not need are 0. payloads, inputs and out are aligned to 16 bytes.
struct Frame {
    const u8* payload_area;
    const Payload* payloads;  // block by block, plane by plane
    const u8* tables;         // expanded
    const u8* predecessor;
    const u8* companion;
    const Section* sections;
    const i16* factors;
    const u16* log_exp;       // 256 values of LOG, then 256 of EXP
    u8* out;
    u32* status;              // a word for its faults, 0 at first
    u32 n_elements;
    u32 table_bytes;  // of all planes; a multiple of 16
    u32 n_sections;
    u32 key_base;
    // Where the memory of a warp has the contexts of a stretch, the low contexts, the scales; and its size. All are
    // multiples of 16.
    u32 contexts_offset;
    u32 low_contexts_offset;
    u32 scales_offset;
    u32 warp_bytes;
    u8 transform;
    u8 block_log2;
    u8 predictor;
    u8 context_input;
    u8 companion_log2;
    u8 key_shift;
    u8 zero_bits;
    u8 mantissa_bits;
    u8 weight;
    u8 step_log2;
    u8 n_streams;  // planes that have tables
    u8 has_low_contexts;
    u8 reserved[4];
    Plane planes[kMaxPlanes];
    u8 context_of_key[256];
    u8 low_context_of_byte[256];
};

constexpr u32 kRotate = 1;
constexpr u32 kFloatDifference = 2;
constexpr u32 kIntegerDifference = 3;
constexpr u32 kFromPredecessor = 1;
constexpr u32 kFromFactors = 2;
constexpr u32 kByPredecessor = 1;
constexpr u32 kByCompanion = 2;
constexpr u32 kByScale = 3;
constexpr u32 kMinusExponent = 255;

// What a block of threads does: some neighbouring blocks of one frame, a warp each.
struct Work {
    u32 frame;
    u32 first_block;
    u32 n_blocks;
};

// What is wrong with a payload: bits of Frame::status. gpu/faults.py has the words for them.
constexpr u32 kFaultState = 1;
constexpr u32 kFaultExceptionsCut = 2;
constexpr u32 kFaultExceptionCount = 4;
constexpr u32 kFaultExceptionPadding = 8;
constexpr u32 kFaultExceptionOrder = 16;
constexpr u32 kFaultExceptionBeyond = 32;
constexpr u32 kFaultHalfWord = 64;
constexpr u32 kFaultNoEscape = 128;
constexpr u32 kFaultBareEscape = 256;
constexpr u32 kFaultFewWords = 512;
constexpr u32 kFaultManyWords = 1024;
constexpr u32 kFaultEndState = 2048;
