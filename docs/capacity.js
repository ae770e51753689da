// The calculator of how-to/capacity.md: the model of benchmarks/capacity.py with the coefficients that the page holds.
"use strict";

document.addEventListener("DOMContentLoaded", () => {
  const form = document.getElementById("capacity");
  if (!form) return;
  const model = JSON.parse(document.getElementById("capacity-model").textContent);
  const whole = new Intl.NumberFormat("en", { maximumFractionDigits: 0 });

  const nightS = (routers, records, plans) =>
    Object.values(model.costs).reduce((sum, cost) => sum + cost.start_s + cost.router_s * routers +
      cost.million_records_s * routers * records / 1e6 + cost.new_plan_s * plans, 0);

  function calculate() {
    const [routers, records, plans, cores] =
      ["routers", "records", "plans", "cores"].map((name) => Math.max(0, Number(form.elements[name].value)));
    const cpuS = nightS(routers, records, plans);
    const minutes = Math.max(cpuS / Math.max(cores, 1), nightS(1, records, Math.min(plans, 1))) / 60;
    const gigabytes = routers * records / 1e9;
    form.elements.result.value =
      `${whole.format(cpuS)} CPU s; ${whole.format(Math.ceil(minutes))} min on ${whole.format(cores)} cores; ` +
      `${whole.format(Math.ceil(Math.min(cores, routers) * model.job_mib / 1024))} GiB of memory; ` +
      `lake ${whole.format(gigabytes * model.lake_bytes)} GB a day; ` +
      `${whole.format(gigabytes * model.flow_file_bytes)} GB of flow files to be read`;
  }

  form.addEventListener("input", calculate);
  calculate();
});
