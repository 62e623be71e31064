import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { copyFile, mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { parse } from 'yaml';
import { z } from 'zod';
import { attemptOutcomes } from '../../../src/features/webhooks/delivery-model.js';
import { metrics } from '../../../src/lib/metrics.js';
import { eventData } from '../../../src/platforms/events/event-types.js';
import { root } from '../../structure/source-files.js';
import { removeFolder } from '../../support/remove-folder.js';

const folder = join(root, 'docs/monitoring');
const rules = z.object({ groups: z.array(z.object({ rules: z.array(z.object({ expr: z.string() })) })) });
const dashboard = z.object({
  panels: z.array(z.object({ targets: z.array(z.object({ expr: z.string() })).optional() })),
});

/** Prometheus' and Grafana's expressions. */
function expressions(): string[] {
  const read = (name: string): unknown => parse(readFileSync(join(folder, name), 'utf8'));
  return [
    ...rules.parse(read('alerts.yml')).groups.flatMap((group) => group.rules),
    ...dashboard.parse(read('grafana.json')).panels.flatMap(({ targets = [] }) => targets),
  ].map(({ expr }) => expr);
}

describe('docs/monitoring', () => {
  // ENV-48
  it('The alerts fire at the first fault, by promtool where it is installed', async function () {
    if (spawnSync('promtool', ['--version']).error !== undefined) this.skip();
    const beside = await mkdtemp(join(tmpdir(), 'rolelink-alerts-'));
    await copyFile(join(folder, 'alerts.yml'), join(beside, 'alerts.yml'));
    await copyFile(join(root, 'test/fixtures/alerts.test.yml'), join(beside, 'alerts.test.yml'));
    const { status, stdout, stderr } = spawnSync('promtool', ['test', 'rules', 'alerts.test.yml'], { cwd: beside });
    await removeFolder(beside);
    expect(status, `${stdout}${stderr}`).to.equal(0);
  });

  it('Counters of known places and outcomes start at 0, so that Prometheus sees their first increase', async () => {
    const body = await metrics.metrics();
    for (const place of ['request', 'interaction', 'sync'])
      expect(body).to.match(new RegExp(`^rolelink_internal_errors_total\\{place="${place}"\\} \\d`, 'm'));
    for (const reason of eventData['role.sync_failed'].shape.reason.options)
      expect(body).to.contain(`rolelink_sync_failures_total{reason="${reason}"}`);
    for (const change of ['ready', 'resumed', 'lost', 'refused', 'failed'])
      expect(body).to.contain(`rolelink_gateway_changes_total{change="${change}",shard="0"}`);
    for (const outcome of ['sent', 'limited', 'unanswered', 'refused'])
      expect(body).to.contain(`rolelink_game_messages_total{outcome="${outcome}"}`);
    for (const outcome of attemptOutcomes)
      expect(body).to.contain(`rolelink_webhook_attempts_total{outcome="${outcome}"}`);
  });

  const asked = expressions();

  it('The alerts and panels of docs/monitoring ask for metrics and labels that exist, and for all of ours', async () => {
    const labels = new Map(
      metrics.getMetricsAsArray().flatMap((metric) => {
        const { name, type, labelNames } = z
          .object({ name: z.string(), type: z.string(), labelNames: z.array(z.string()) })
          .parse(metric);
        const suffixes = type === 'histogram' ? ['_bucket', '_count', '_sum'] : [''];
        return suffixes.map((suffix): [string, string[]] => [`${name}${suffix}`, labelNames]);
      }),
    );
    const named = asked.flatMap((expr) => [...expr.matchAll(/\b((?:rolelink|nodejs|process)_\w+)(?:\{([^}]*)\})?/g)]);
    expect(named.length).to.be.greaterThan(40);
    for (const [, name = '', selector = ''] of named) {
      expect(labels.has(name), name).to.equal(true);
      for (const [, label = ''] of selector.matchAll(/(\w+)=/g)) {
        // Prometheus adds `job` itself.
        expect([...(labels.get(name) ?? []), 'job'], name).to.include(label);
      }
    }
    const ours = [...labels.keys()].filter((name) => name.startsWith('rolelink_') && !name.endsWith('_sum'));
    expect(ours.filter((name) => !named.some(([, asks]) => asks === name))).to.deep.equal([
      'rolelink_webhook_attempt_duration_seconds_count',
    ]);
  });

  it('The alerts and panels of docs/monitoring query states that /metrics returns', async () => {
    const body = await metrics.metrics();
    const states = asked.flatMap((expr) => [...expr.matchAll(/\b(rolelink_\w+)\{(?:state|quantile)="([^"]+)"/g)]);
    const told = states.filter(([, name]) => name !== 'rolelink_rank_age_seconds');
    expect(told.length).to.be.greaterThan(5);
    for (const [, name, state] of told) expect(body).to.match(new RegExp(`^${name}\\{[^}]*state="${state}"`, 'm'));
    expect(body).to.match(/^rolelink_rank_age_target_seconds\{plan="free"\} \d+$/m);
  });
});
