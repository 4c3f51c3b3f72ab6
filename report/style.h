// How a report looks: on a light and a dark screen, narrow and wide, and on paper.
#pragma once

namespace weir::report {

inline constexpr const char* kStyle = R"css(
:root{color-scheme:light dark;--page:#fff;--text:#1c2128;--dim:#57606a;--line:#d0d7de;
--soft:#f6f8fa;
--own:#3b76c4;--borrowed:#e08a1e;--lent:#bfe3c4;--guarantee:#1a7f37;--share:#8250df;
--pending:#8c959f;
--kill:#cf222e;--c0:#3b76c4;--c1:#e08a1e;--c2:#2f9e6e;--c3:#b65fc9;--c4:#c9a400;--c5:#1fa3b8;
--c6:#d4586a;
--c7:#7a8b2c;--c8:#6f6fd6;--c9:#a3acb5}
@media (prefers-color-scheme:dark){:root{--page:#0d1117;--text:#e6edf3;--dim:#9198a1;
--line:#30363d;
--soft:#161b22;--own:#4d8fe0;--borrowed:#e59b3c;--lent:#234d34;--guarantee:#56d364;
--share:#bc8cff;
--pending:#6e7681;--kill:#f85149;--c0:#4d8fe0;--c1:#e59b3c;--c2:#3fb27f;--c3:#c078d6;--c4:#d6b62f;
--c5:#39b5c9;--c6:#e2707f;--c7:#95a843;--c8:#8a8ae8;--c9:#757e88}}
*{box-sizing:border-box}
body{margin:0 auto;max-width:1240px;padding:24px 20px 48px;background:var(--page);
color:var(--text);
font:15px/1.5 system-ui,"Segoe UI",Roboto,"DejaVu Sans",sans-serif;
font-variant-numeric:tabular-nums}
h1{font-size:26px;line-height:1.25;margin:0;overflow-wrap:anywhere}
h2{font-size:19px;margin:40px 0 4px;padding-top:14px;border-top:1px solid var(--line)}
h3{font-size:15px;margin:18px 0 6px}h4{font-size:13px;font-weight:600;margin:10px 0 4px;
color:var(--dim)}
small{color:var(--dim);font-weight:400;font-size:13px}
p{margin:4px 0 12px;max-width:80ch}.lead,.none{color:var(--dim)}
.cards{display:grid;grid-template-columns:repeat(auto-fit,minmax(170px,1fr));gap:10px;
margin:20px 0}
.cards div{background:var(--soft);border:1px solid var(--line);border-radius:8px;
padding:10px 14px;
display:flex;flex-direction:column-reverse;justify-content:flex-end}
.cards dt{color:var(--dim);font-size:13px}.cards dd{margin:0;font-size:24px;line-height:1.3;
display:contents}
.cards dd small{order:-1;font-size:12px}
.legend{list-style:none;display:flex;flex-wrap:wrap;gap:2px 18px;padding:0;margin:8px 0;
font-size:13px}
.legend li{overflow-wrap:anywhere;min-width:0}
.legend i{display:inline-block;width:14px;height:10px;margin-right:6px;border-radius:2px;
background:var(--dim);print-color-adjust:exact;-webkit-print-color-adjust:exact}
.plot{display:grid;grid-template-columns:52px minmax(0,1fr);grid-template-rows:auto 20px;
margin:0 0 6px}
.plot svg{width:100%;height:100%;display:block;overflow:visible;
border-bottom:1px solid var(--dim);
print-color-adjust:exact;-webkit-print-color-adjust:exact}
.plot.tall svg{height:220px}.plot.middle svg{height:110px}.plot.strip svg{height:22px}
.plot.strip{grid-template-rows:auto}.plot .y,.x{position:relative;font-size:11px;color:var(--dim)}
.plot .y span{position:absolute;right:8px;transform:translateY(50%);line-height:1}
.plot.strip .y span{transform:translateY(100%)}
.plot .x{grid-column:2}.x span{position:absolute;top:4px;transform:translateX(-50%);
white-space:nowrap;
line-height:1.2}.x .first{transform:none}.x .last{transform:translateX(-100%)}
path{vector-effect:non-scaling-stroke;stroke:none}
.grid{stroke:var(--line);fill:none;stroke-width:1}
.hover{fill:transparent}.hover:hover{fill:var(--text);fill-opacity:.08}
.own,.ran{fill:var(--own);background:var(--own)!important}
.borrowed{fill:var(--borrowed);background:var(--borrowed)!important}
.lent{fill:var(--lent);background:var(--lent)!important}
path.guarantee{fill:none;stroke:var(--guarantee);stroke-width:2}
path.share{fill:none;stroke:var(--share);stroke-width:2;stroke-dasharray:5 3}
path.total{fill:none;stroke:var(--text);stroke-width:1.5}
.legend i.guarantee,.legend i.share,.legend i.total{height:3px;vertical-align:middle;
background:var(--guarantee)}
.legend i.share{background:var(--share)}.legend i.total{background:var(--text)}
.pending,.waited{fill:var(--pending);background:var(--pending)!important}
.kill{fill:var(--kill)}.wait{fill:var(--own)}
.c0{fill:var(--c0)}.c1{fill:var(--c1)}.c2{fill:var(--c2)}.c3{fill:var(--c3)}.c4{fill:var(--c4)}
.c5{fill:var(--c5)}.c6{fill:var(--c6)}.c7{fill:var(--c7)}.c8{fill:var(--c8)}.c9{fill:var(--c9)}
i.c0{background:var(--c0)}i.c1{background:var(--c1)}i.c2{background:var(--c2)}i.c3{
background:var(--c3)}
i.c4{background:var(--c4)}i.c5{background:var(--c5)}i.c6{background:var(--c6)}i.c7{
background:var(--c7)}
i.c8{background:var(--c8)}i.c9{background:var(--c9)}
.queues{display:grid;grid-template-columns:repeat(auto-fill,minmax(min(100%,500px),1fr));gap:14px}
.queue{margin:0;border:1px solid var(--line);border-radius:8px;padding:10px 14px 4px;min-width:0}
figcaption b{display:block;overflow-wrap:anywhere}figcaption span{color:var(--dim);font-size:13px}
.wide{overflow-x:auto;margin:8px 0}
table{border-collapse:collapse;width:100%;font-size:13px}
th,td{padding:5px 10px 5px 0;text-align:right;vertical-align:top;
border-bottom:1px solid var(--line);
white-space:nowrap}
thead th{color:var(--dim);font-weight:600;vertical-align:bottom;white-space:normal}
th:first-child,.text{text-align:left!important}th[scope=row]{font-weight:600;max-width:260px}
th[scope=row],td.text{white-space:normal;overflow-wrap:anywhere;min-width:90px}
td small,th small{display:block;font-size:12px}.sum td,.sum th{font-weight:700;border-bottom:0}
.bar{width:24%;min-width:110px}.bar svg{width:100%;height:12px;display:block;margin-top:4px;
print-color-adjust:exact;-webkit-print-color-adjust:exact}
.waits{display:grid;grid-template-columns:minmax(200px,320px) minmax(0,1fr);gap:16px;
padding:8px 0 0;
align-items:end;break-inside:avoid}
.waits b,.waits small{display:block;overflow-wrap:anywhere}
.bars{width:100%;height:44px;display:block;border-bottom:1px solid var(--dim);
print-color-adjust:exact;-webkit-print-color-adjust:exact}
.axis{padding:0;height:20px}.axis .x{height:20px}
.made{display:grid;grid-template-columns:max-content minmax(0,1fr);gap:2px 18px;font-size:13px;
margin:8px 0}
.made dt{color:var(--dim)}.made dd{margin:0;overflow-wrap:anywhere}
.notes{padding-left:18px;color:var(--dim);font-size:13px}
@media (max-width:640px){body{padding:16px 14px 32px}h1{font-size:21px}.waits{
grid-template-columns:1fr;gap:4px}
.axis div:first-child,.axis .odd{display:none}.plot{grid-template-columns:40px minmax(0,1fr)}
.plot.tall svg{height:170px}.cards{grid-template-columns:1fr 1fr}.cards div{padding:8px 10px}
.x span:nth-child(even):not(.last){visibility:hidden}}
@page{margin:14mm 12mm}
@media print{:root{color-scheme:light;--page:#fff;--text:#000;--dim:#444;--line:#bbb;--soft:#fff;
--own:#3b76c4;
--borrowed:#e08a1e;--lent:#bfe3c4;--guarantee:#1a7f37;--share:#8250df;--pending:#8c959f;
--kill:#cf222e;
--c0:#3b76c4;--c1:#e08a1e;--c2:#2f9e6e;--c3:#b65fc9;--c4:#c9a400;--c5:#1fa3b8;--c6:#d4586a;
--c7:#7a8b2c;
--c8:#6f6fd6;--c9:#a3acb5}body{padding:0;max-width:none;font-size:11px}h1{font-size:20px}
h2{font-size:15px;margin-top:20px}h2,h3,h4{break-after:avoid}.plot,.queue,tr,.cards div{
break-inside:avoid}
.queues{grid-template-columns:1fr 1fr}.wide{overflow:visible}table{font-size:8.5px}th,td{
padding:3px 6px 3px 0}
.plot.tall svg{height:150px}.plot.middle svg{height:80px}.cards{
grid-template-columns:repeat(3,1fr)}
.cards dd{font-size:16px}.hover{display:none}}
)css";

}  // namespace weir::report
