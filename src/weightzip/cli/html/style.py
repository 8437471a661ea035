"""The style sheet of the page: light and dark as the reader's system has it, and fit for paper."""

STYLE = """
:root {
  color-scheme: light dark;
  --page: #fafaf7; --card: #ffffff; --ink: #1c2024; --quiet: #5c656e; --line: #dfe2e0;
  --raw: #d5dbd8; --stored: #1f7a63; --encode: #3565b0; --decode: #b8641f; --good: #1f7a63;
}
@media (prefers-color-scheme: dark) {
  :root {
    --page: #14171a; --card: #1c2024; --ink: #e6e8e6; --quiet: #9aa4ac; --line: #31373c;
    --raw: #3b4449; --stored: #43b594; --encode: #7ba7ea; --decode: #e39a5c; --good: #43b594;
  }
}
* { box-sizing: border-box; }
body {
  margin: 0 auto; padding: 2.5rem 1.25rem 4rem; max-width: 62rem; background: var(--page); color: var(--ink);
  font: 16px/1.5 system-ui, -apple-system, "Segoe UI", "Helvetica Neue", Arial, sans-serif;
}
h1 { margin: 0; font-size: 1.7rem; line-height: 1.2; letter-spacing: -0.01em; }
h2 { margin: 2.75rem 0 0.25rem; font-size: 1.15rem; }
p { margin: 0.35rem 0; max-width: 46rem; }
.quiet { color: var(--quiet); }
.cards { display: grid; grid-template-columns: repeat(3, 1fr); gap: 0.75rem; margin: 1.75rem 0 0; }
.card { padding: 0.9rem 1rem; background: var(--card); border: 1px solid var(--line); border-radius: 8px; }
.card b { display: block; font-size: 1.6rem; line-height: 1.25; font-weight: 600; font-variant-numeric: tabular-nums; }
.card span { color: var(--quiet); font-size: 0.85rem; }
.good b { color: var(--good); }
svg { display: block; width: 100%; min-width: 36rem; height: auto; }
svg text { fill: var(--ink); font-size: 13px; dominant-baseline: central; }
svg .label { text-anchor: end; }
svg .note { fill: var(--quiet); font-variant-numeric: tabular-nums; white-space: pre; }
.raw { fill: var(--raw); } .stored { fill: var(--stored); }
.encode { fill: var(--encode); } .decode { fill: var(--decode); }
.scroll { overflow-x: auto; margin: 0.75rem 0; }
table { border-collapse: collapse; width: 100%; font-size: 0.875rem; font-variant-numeric: tabular-nums; }
th, td { padding: 0.35rem 0.75rem 0.35rem 0; border-bottom: 1px solid var(--line); vertical-align: top; }
th { font-weight: 600; color: var(--quiet); white-space: nowrap; }
.text { text-align: left; }
.figure { text-align: right; white-space: nowrap; }
dl { display: grid; grid-template-columns: max-content 1fr; gap: 0.3rem 1.5rem; margin: 0.75rem 0; font-size: 0.9rem; }
dt { color: var(--quiet); } dd { margin: 0; overflow-wrap: anywhere; }
@media (max-width: 40rem) { .cards { grid-template-columns: repeat(2, 1fr); } }
@media print { body { max-width: none; padding: 0; } .card { break-inside: avoid; } }
""".strip()
