import type { Mutant } from './mutate.ts'

const RUN = 'server/modules/automations/run'

/** Mutants of those inside: their rests, mails and steps, merges, halts and retries. */
export const RUNS: readonly Mutant[] = [
  {
    name: 'notice to nobody',
    changes: [
      {
        file: `${RUN}/note-notices.ts`,
        from: 'if (members > 0) notices.push',
        to: 'notices.push',
      },
    ],
  },
  {
    name: 'time zone of the beginning kept',
    changes: [
      {
        file: 'server/modules/automations/entry/enroll-automations.ts',
        from: '    if (zones) await wakeRuns(tx, await putZoneSignals(tx, range))\n',
        to: '',
      },
    ],
  },
  {
    name: 'end before somebody had the time zone',
    changes: [{ file: `${RUN}/hear.ts`, from: '  if (end < since) run.putOff += since - end\n', to: '' }],
  },
  {
    name: 'both runs of a merged contact kept',
    changes: [
      {
        file: `${RUN}/move-runs.ts`,
        from: 'select id from of_both where place > 1)',
        to: 'select id from of_both where place > 1000)',
      },
    ],
  },
  {
    name: 'run that is less far kept by a merge',
    changes: [{ file: `${RUN}/move-runs.ts`, from: 'order by r.visit desc, ', to: 'order by r.visit, ' }],
  },
  {
    name: 'rest not put off by a pause',
    changes: [{ file: `${RUN}/put-off.ts`, from: '(due > pausedAt ? due + took : due)', to: 'due' }],
  },
  {
    name: 'mail sent that a pause has made too late',
    changes: [{ file: `${RUN}/plan-mails.ts`, from: '[mailFrom, run.mailFrom].some(', to: '[run.mailFrom].some(' }],
  },
  {
    name: 'move of a version that was not the last of its pause',
    changes: [{ file: `${RUN}/change-version.ts`, from: " and state <> 'revoked'", to: '' }],
  },
  {
    name: 'parked run that has not looked',
    changes: [
      {
        file: `${RUN}/walk.ts`,
        from: 'isStopped && mustLook(context, run)',
        to: 'isStopped && mustLook(context, run) && run.visit < 0',
      },
    ],
  },
  {
    name: 'retry that goes past the node',
    changes: [
      {
        file: `${RUN}/steer-runs.ts`,
        from: 'case when $5 then r.visit',
        to: 'case when $5 or r.visit > 2 then r.visit',
      },
    ],
  },
  {
    name: 'exit of parked runs that leaves them',
    changes: [
      {
        file: `${RUN}/steer-runs.ts`,
        from: "and ($3 is not null or r.state = 'parked') order by r.id limit",
        to: "and ($3 is not null or r.state = 'waiting') order by r.id limit",
      },
    ],
  },
  {
    name: 'halt that a version does not lift',
    changes: [
      {
        file: 'server/modules/automations/definition/queries.ts',
        from: 'when $4::int is null then a.halted_nodes else',
        to: 'when $4::int is null or $4 > 0 then a.halted_nodes else',
      },
    ],
  },
  {
    name: 'halt whose people do not look',
    changes: [
      { file: `${RUN}/walk.ts`, from: '  if (mustLook(context, run)) run.timer', to: '  if (run.visit < 0) run.timer' },
    ],
  },
  {
    name: 'end put off as it is by now',
    changes: [
      {
        file: `${RUN}/put-off.ts`,
        from: 'if (timer === undefined) return end',
        to: 'if (timer === undefined || asks !== undefined) return end',
      },
    ],
  },
  {
    name: 'news of a run that no automation has led to',
    changes: [
      {
        file: `${RUN}/run-events.ts`,
        from: 'cause: { ...ids, depth: depth + 1 }',
        to: 'cause: { ...ids, depth: depth * 0 + 1 }',
      },
    ],
  },
  {
    name: 'turn that remembers what was rolled back',
    changes: [
      {
        file: `${RUN}/take-stretch.ts`,
        from: 'const heeding = rows.flatMap(runsOf)',
        to: `const done = ((globalThis as any).done ??= new Set()) as Set<string>
  const keyOf = (row: QueueRow) => [row.runId, row.kind, row.position, row.visit, row.dueAt, row.looks, row.contactId].join()
  rows = rows.filter((row) => row.kind !== 'goal' || !done.has(keyOf(row)))
  for (const row of rows) done.add(keyOf(row))
  const heeding = rows.flatMap(runsOf)`,
      },
    ],
  },
  {
    name: 'event of a step that no automation has led to',
    changes: [
      { file: `${RUN}/reach-out.ts`, from: 'JSON.rawJSON(id), depth: depth + 1 }', to: 'JSON.rawJSON(id), depth }' },
    ],
  },
  {
    name: 'retry at a node that lifts all halts',
    changes: [
      {
        file: `${RUN}/steer-runs.ts`,
        from: 'then array_remove(halted_nodes, $4)',
        to: "then array_remove('{}'::text[], $4)",
      },
    ],
  },
  {
    name: 'retry at a node of those at others',
    changes: [
      {
        file: `${RUN}/steer-runs.ts`,
        from: 'and ($4::text is null or r.node = $4)`',
        to: "and ($4::text is null or r.node <> '')`",
      },
    ],
  },
  {
    name: 'rest of a cut way behind its moment',
    changes: [{ file: `${RUN}/walk.ts`, from: 'dueAt: isStopped ? run.at : taken - 1n,', to: 'dueAt: run.at,' }],
  },
  {
    name: 'rest of a cut way behind what came in a pause',
    changes: [
      { file: `${RUN}/walk.ts`, from: 'isStopped ? run.at : taken - 1n', to: 'isStopped ? run.at : run.at - 1n' },
    ],
  },
]
