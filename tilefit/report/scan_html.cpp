// SPDX-License-Identifier: Apache-2.0
#include "tilefit/report/scan_html.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>

#include "tilefit/report/safe_text.h"
#include "tilefit/report/scan_histogram.h"
#include "tilefit/report/scan_rows.h"

namespace tilefit {
namespace {

constexpr std::size_t kMaxRows = 20000;  // more make browsers slow; findings come first

constexpr std::string_view kHead = R"(<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>tilefit scan</title><style>
:root{--ink:#1b1f24;--faint:#68707a;--line:#d8dde3;--bad:#b3261e;--good:#1f7a3f;--bar:#4a6fa5;--back:#fff}
@media(prefers-color-scheme:dark){:root{--ink:#e4e7eb;--faint:#98a1ab;--line:#3a4048;--bad:#ff8a80;--good:#7bd88f;--bar:#7ea6e0;--back:#15181c}}
body{font:14px/1.45 system-ui,sans-serif;color:var(--ink);background:var(--back);margin:2em auto;max-width:90em;padding:0 1em}
h1{font-size:1.5em;margin:0 0 .2em}h2{font-size:1.1em;margin:2em 0 .5em}.faint{color:var(--faint)}
table{border-collapse:collapse;width:100%}th,td{text-align:left;padding:.3em .6em;border-bottom:1px solid var(--line);vertical-align:top}
th{position:sticky;top:0;background:var(--back);white-space:nowrap}th.sort{cursor:pointer}td.n,th.n{text-align:right;font-variant-numeric:tabular-nums}
td.k{font-family:ui-monospace,monospace;font-size:12px;overflow-wrap:anywhere;min-width:24em}
.bad{color:var(--bad)}.good{color:var(--good)}svg text{fill:var(--ink);font-size:11px}input{font:inherit;padding:.3em .5em;width:24em;max-width:100%}
</style></head><body>
)";

constexpr std::string_view kScript = R"(<script>
const body=document.querySelector('#kernels tbody');
document.querySelectorAll('#kernels th.sort').forEach((th,i)=>th.addEventListener('click',()=>{
  const down=th.dataset.down!=='1';document.querySelectorAll('#kernels th').forEach(t=>delete t.dataset.down);th.dataset.down=down?'1':'0';
  const key=r=>{const c=r.cells[i];return c.classList.contains('n')?(c.dataset.v===''?-1:+c.dataset.v):c.textContent};
  [...body.rows].map(r=>[key(r),r]).sort((a,b)=>(a[0]<b[0]?-1:a[0]>b[0]?1:0)*(down?-1:1)).forEach(p=>body.append(p[1]));
}));
document.querySelector('#find').addEventListener('input',e=>{const w=e.target.value.toLowerCase();
  for(const r of body.rows)r.hidden=!r.textContent.toLowerCase().includes(w)});
</script></body></html>
)";

std::string html(std::string_view text) {
  std::string out;
  for (char c : safe_text(text)) {
    switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      case '\'':
        out += "&#39;";
        break;
      default:
        out += c;
    }
  }
  return out;
}

template <class T>
std::string number_cell(const std::optional<T>& value) {
  const std::string text = value ? fmt::format("{}", *value) : std::string();
  return fmt::format("<td class=n data-v='{}'>{}</td>", text, text);
}

std::string verdict_cell(const ScanReport& report, const ScanRow& row, std::size_t gpu) {
  for (const KernelVerdict* v : row.verdicts) {
    if (static_cast<std::size_t>(v->gpu) != gpu) continue;
    const std::string_view look = is_finding(v->outcome)        ? "bad"
                                  : v->outcome == Outcome::fits ? "good"
                                                                : "faint";
    return fmt::format("<td class={} title='{}'>{}</td>", look,
                       html(reason(report, *row.kernel, *v)), name(v->outcome));
  }
  return "<td></td>";
}

std::string row_html(const ScanReport& report, const ScanRow& row) {
  const KernelFacts& kernel = row.kernel->facts;
  const ImageFacts& facts = row.facts();
  const std::optional<Bytes> dynamic =
      kernel.dynamic.bytes.empty() ? std::nullopt : std::optional(kernel.dynamic.bytes.back());
  std::string line = fmt::format(
      "<tr><td class=k title='{}'>{}</td><td>{}</td><td>{}</td>", html(kernel.symbol),
      html(kernel.short_name.empty() ? kernel.symbol : kernel.short_name),
      fmt::join(targets_of(row), " "), facts.code == CodeKind::ptx ? "ptx" : name(facts.body));
  line += number_cell(facts.registers) + number_cell(std::optional(facts.static_smem)) +
          number_cell(dynamic);
  line += fmt::format("<td>{}</td>", name(kernel.dynamic.from));
  for (std::size_t g = 0; g < report.gpus.size(); ++g) line += verdict_cell(report, row, g);
  return line + "</tr>\n";
}

void summary(const ScanReport& report, const Write& write) {
  write(fmt::format("<h1>{} kernels</h1><p class=faint>", report.kernels.size()));
  for (std::size_t i = 0; i < report.files.size() && i < 20; ++i)
    write(html(report.files[i].path) + "<br>");
  if (report.files.size() > 20) write(fmt::format("and {} more files", report.files.size() - 20));
  write("</p><h2>Outcomes</h2><table><tr><th>GPU<th class=n>limit");
  for (std::string_view outcome : kOutcomeNames) write(fmt::format("<th class=n>{}", outcome));
  const std::vector<OutcomeCounts> counts = count_outcomes(report);
  for (std::size_t g = 0; g < report.gpus.size(); ++g) {
    write(fmt::format("<tr><td>{}<td class=n>{}", html(report.gpus[g].name),
                      report.gpus[g].arch->smem_per_block));
    for (int count : counts[g]) write(fmt::format("<td class=n>{}", count));
  }
  write("</table>\n");
}

void kernels(const ScanReport& report, const Write& write) {
  write(
      "<h2>Kernels</h2><p><input id=find placeholder='part of a name, a target, an "
      "outcome'></p><table id=kernels><thead><tr>");
  for (std::string_view column :
       {"kernel", "code for", "body", "registers", "static", "dynamic", "read from"})
    write(fmt::format("<th class=sort>{}", column));
  for (const ScanGpu& gpu : report.gpus) write(fmt::format("<th class=sort>{}", html(gpu.name)));
  write("</thead><tbody>\n");
  std::size_t written = 0, all = 0;
  for (const bool findings : {true, false}) {
    for (const ScannedKernel& kernel : report.kernels) {
      for (const ScanRow& row : rows_of(kernel)) {
        if (row.is_finding() != findings) continue;
        if (++all <= kMaxRows) {
          write(row_html(report, row));
          ++written;
        }
      }
    }
  }
  write("</tbody></table>\n");
  if (written < all)
    write(
        fmt::format("<p class=faint>{} of {} rows; the rest has no findings or is in the JSON</p>",
                    written, all));
}

}  // namespace

void scan_html(const ScanReport& report, const Write& write) {
  write(kHead);
  summary(report, write);
  write("<h2>Shared memory of a block</h2>");
  write(smem_histogram(report));
  kernels(report, write);
  write(kScript);
}

}  // namespace tilefit
