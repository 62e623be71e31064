import type { Person, Stage, StageGuild } from './stage.js';

/** One step of a script: its kind, and numbers that choose its target and variant. An impossible step does nothing. */
export interface Step {
  kind: string;
  guild: number;
  person: number;
  role: number;
  group: number;
  value: number;
  /** How long the service is given before the next step, in ms. */
  pauseMs: number;
}

export interface Choice {
  guild: StageGuild;
  person: Person;
  roleId: string;
  groupId: string;
  /** 0 to 255. */
  value: number;
}

export interface StepKind {
  /** Its frequency relative to the other steps. */
  weight: number;
  /** In words, for the printed script. */
  tell(names: { guild: string; person: string; role: string; group: string; value: number }): string;
  act(stage: Stage, choice: Choice): unknown;
}

export function chosen(stage: Stage, step: Step): Choice {
  const of = <T>(list: readonly T[], index: number): T => {
    const found = list[index % list.length];
    if (found === undefined) throw new Error('The stage is empty.');
    return found;
  };
  const guild = of(stage.confirmed.guilds, step.guild);
  return {
    guild,
    person: of(stage.people, step.person),
    roleId: of(guild.roleIds, step.role),
    groupId: of(stage.groupIds, step.group),
    value: step.value,
  };
}
