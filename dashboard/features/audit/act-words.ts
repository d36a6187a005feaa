import { wordsOf } from '../../lib/format.ts'

/** Acts that their code does not say as people do, in the order of a sentence that begins with who it was and may end with a name. */
const ACTS: Readonly<Record<string, string>> = {
  'agent.connect': 'let in the agent',
  'agent.disconnect': 'disconnected the agent',
  'automation.backfill': 'let people of the past into the automation',
  'automation.enroll': 'put people into the automation',
  'automation.exit_runs': 'took people out of the automation',
  'automation.halt_node': 'halted a step of the automation',
  'automation.simulate': 'replayed the past through the automation',
  'automation_simulation.cancel': 'canceled a replay of the automation',
  'automation.retry_runs': 'tried again the failed step of people in the automation',
  'automation.skip_runs': 'led people past the step at which they failed in the automation',
  'automation.revoke_backfill': 'took back people of the past from the automation',
  'broadcast.resolve_uncertain': 'decided about the uncertain messages of the broadcast',
  'broadcast.retry_failed': 'tried again the failed messages of the broadcast',
  'contact.choose_topic': 'chose topics for the contact',
  'contact.export': 'exported contacts',
  'contact.import': 'imported contacts',
  'contact.request_confirmation': 'asked for the confirmation of the contact',
  'email.send_batch': 'sent a batch of emails',
  'installation.confirm_restored': 'confirmed that this installation was restored',
  'installation.take_backup': 'had a backup taken',
  'installation.schedule_backups': 'changed when backups are taken',
  'installation.download_backup': 'got a link to the file of a backup',
  'installation.delete_backup': 'removed a backup',
  'installation.replay_parked': 'had parked events tried again',
  'suppression.export': 'exported suppressions',
  'suppression.import': 'imported suppressions',
  'unsubscribe.export': 'exported unsubscribes',
  'unsubscribe.import': 'imported unsubscribes',
  'user.login': 'logged in',
  'user.login_failed': 'could not log in',
  'user.logout': 'logged out',
  'user.password_change': 'changed the password',
  'user.password_reset': 'set a new password by a link',
  'user.password_reset_link': 'was sent a link for a new password',
  'user.recovery_code_use': 'logged in with a recovery code',
  'user.recovery_codes_regenerate': 'made new recovery codes',
  'user.second_factor_disable': 'turned the second factor off',
  'user.second_factor_enroll': 'turned the second factor on',
  'user.second_factor_failed': 'gave a wrong code of the second factor',
  'user.second_factor_reset': 'reset the second factor of',
  'user.sign_out': 'ended a session',
  'user.sign_out_everywhere': 'ended all sessions',
  'webhook_endpoint.warn': 'warned of the webhook',
}
const PAST: Readonly<Record<string, string>> = {
  ask: 'asked for',
  begin: 'began',
  choose: 'chose',
  keep: 'kept',
  resend: 'sent again',
  run: 'ran',
  send: 'sent',
  set: 'set',
  skip: 'skipped',
  stop: 'stopped',
  submit: 'submitted',
  tag: 'tagged',
  untag: 'untagged',
  update: 'changed',
}
const THINGS: Readonly<Record<string, string>> = {
  api_token: 'API token',
  contact_import: 'import',
  contact_export: 'export',
  identity_key: 'key of identities',
  suppression: 'suppression of',
  unsubscribe: 'unsubscription of',
  webhook_delivery: 'delivery to a webhook',
  webhook_endpoint: 'webhook',
}

/** What an entry is about, in words: `contact_import` is an import. */
export const thingText = (type: string): string => THINGS[type]?.replace(/ of$/, '') ?? wordsOf(type).toLowerCase()

/** `contact.create` as people say it, `created the contact`, before a name or number; the code itself where it has no form. */
export function actText(action: string): string {
  const [thing = '', act] = action.split('.')
  if (act === undefined) return action
  const [verb = '', ...rest] = act.split('_')
  const of = rest.length === 0 ? '' : ` the ${rest.join(' ')} of`
  return ACTS[action] ?? `${pastOf(verb)}${of} the ${THINGS[thing] ?? wordsOf(thing).toLowerCase()}`
}

function pastOf(verb: string): string {
  return PAST[verb] ?? (verb.endsWith('e') ? `${verb}d` : `${verb.replace(/(?<![aeiou])y$/, 'i')}ed`)
}
