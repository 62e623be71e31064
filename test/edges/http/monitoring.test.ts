import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { parse } from 'yaml';
import { metrics } from '../../../src/lib/metrics.js';
import { root } from '../../structure/source-files.js';

const read = (name: string): string => readFileSync(join(root, 'docs/deploy', name), 'utf8');

/** Every metric that the expressions of a file name, without the endings of histograms. */
function metricsIn(expressions: readonly string[]): string[] {
  const names = expressions.flatMap((text) => text.match(/\b(?:rolelink|process|nodejs)_[a-z0-9_]+/g) ?? []);
  return [...new Set(names)].map((name) => name.replace(/_(?:bucket|count|sum)$/, ''));
}

/** The labels that a metric is asked for. */
function labelsIn(expressions: readonly string[]): [metric: string, label: string][] {
  return expressions.flatMap((text) =>
    [...text.matchAll(/(rolelink_[a-z_]+)\{([^}]*)\}/g)].flatMap(([, metric = '', labels = '']) =>
      [...labels.matchAll(/(\w+)=~?"/g)].map(([, label = '']): [string, string] => [
        metric.replace(/_(?:bucket|count|sum)$/, ''),
        label,
      ]),
    ),
  );
}

describe('the files for monitoring', () => {
  const alerts = parse(read('alerts.yml')) as { groups: { rules: { expr: string }[] }[] };
  const dashboard = JSON.parse(read('grafana-dashboard.json')) as { panels: { targets: { expr: string }[] }[] };
  const expressions = {
    'alerts.yml': alerts.groups.flatMap(({ rules }) => rules.map(({ expr }) => expr)),
    'grafana-dashboard.json': dashboard.panels.flatMap(({ targets }) => targets.map(({ expr }) => expr)),
  };
  for (const [name, asked] of Object.entries(expressions)) {
    it(`ask in ${name} for metrics and labels that there are`, () => {
      expect(asked.length).to.be.greaterThan(7);
      const known = metrics.getMetricsAsArray();
      expect(metricsIn(asked).filter((metric) => !known.some((one) => one.name === metric))).to.deep.equal([]);
      // The registry's types leave out the names of labels.
      const labelsOf = (metric: string): string[] =>
        Reflect.get(metrics.getSingleMetric(metric) ?? {}, 'labelNames') ?? [];
      const strangers = labelsIn(asked).filter(
        ([metric, label]) => label !== 'job' && !labelsOf(metric).includes(label),
      );
      expect(strangers).to.deep.equal([]);
    });
  }

  it('scrape the path that there is, with the token', () => {
    const {
      scrape_configs: [job],
    } = parse(read('prometheus.yml')) as { scrape_configs: Record<string, unknown>[] };
    expect(job).to.deep.include({ job_name: 'rolelink', metrics_path: '/metrics' });
    expect(job).to.have.property('authorization');
  });
});
