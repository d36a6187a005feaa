/**
 * Named moments between two commits at which a test may have this process die, as `kill -9` would: nothing is flushed,
 * no handler runs. Unarmed, as always outside `test/crash`, a point is one comparison.
 */
export type CrashPoint =
  // Of each sort of lanes (lanes/run-turn.ts).
  | `${string}_turn_${'begun' | 'claimed' | 'before_end' | 'ended'}`
  | 'intake_before_commit'
  | 'intake_after_commit'
  | 'consumer_before_commit'
  | 'consumer_after_commit'
  | 'delivery_sent'
  | 'attempts_before_commit'
  | 'attempts_after_commit'
  | 'erase_contact_step'
  | 'key_claimed'
  | 'key_before_answer'
  | 'key_after_answer'
  | 'import_before_commit'
  | 'import_after_commit'
  | 'move_page_before_commit'
  | 'move_people_before_commit'
  | 'message_built'
  | 'handing_before_commit'
  | 'handing_after_commit'
  | 'content_before_end'
  | 'content_sent'
  | 'content_answered'
  | 'results_before_commit'
  | 'results_after_commit'
  | 'submission_before_commit'
  | 'submission_after_commit'
  | 'broadcast_frozen'
  | 'broadcast_planned'
  | 'broadcast_redone'
  | 'runs_before_commit'
  | 'runs_after_commit'
  | 'runs_placed'
  | 'comers_placed'
  | 'team_told'
  | 'past_placed'

let armed: { point: string; passes: number } | undefined

/** Arms one point, `name` or `name:passes`, to die at its passes-th pass. */
export function armCrashPoint(setting: string): void {
  const [point = '', passes = '1'] = setting.split(':')
  armed = { point, passes: Number(passes) }
}

export function crashPoint(point: CrashPoint): void {
  if (armed === undefined || armed.point !== point) return
  armed.passes--
  if (armed.passes <= 0) process.kill(process.pid, 'SIGKILL')
}
