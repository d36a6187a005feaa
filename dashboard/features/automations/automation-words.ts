import type { Automation, AutomationRun } from '../../lib/site-types.ts'
import type { Tone } from '../../ui/status-badge.tsx'

type Words = { words: string; tone: Tone; meaning: string }

export const STATUSES: Readonly<Record<Automation['status'], Words>> = {
  draft: { words: 'Draft', tone: 'neutral', meaning: 'It was never in force.' },
  active: { words: 'Active', tone: 'good', meaning: 'People may come in.' },
  closed: { words: 'Closed', tone: 'info', meaning: 'Nobody comes in; those inside go on.' },
  paused: { words: 'Paused', tone: 'warn', meaning: 'Nobody goes on; whoever wants to come in waits.' },
  stopped: { words: 'Stopped', tone: 'neutral', meaning: 'It has ended for good.' },
}

export const RUN_STATES: Readonly<Record<AutomationRun['state'], Omit<Words, 'meaning'>>> = {
  waiting: { words: 'Waiting', tone: 'info' },
  ready: { words: 'About to go on', tone: 'info' },
  parked: { words: 'Failed here', tone: 'bad' },
  completed: { words: 'Completed', tone: 'good' },
  exited: { words: 'Left', tone: 'neutral' },
  held_out: { words: 'Held out', tone: 'neutral' },
  failed: { words: 'Failed', tone: 'bad' },
  erased: { words: 'Erased', tone: 'neutral' },
}

/** Why somebody wanted to come in and did not. */
const REFUSALS: Readonly<Record<string, string>> = {
  filter: 'the event did not pass the filter',
  rule: 'the rule of the entry did not hold',
  mode: 'they had come in before',
  closed: 'the entry was closed',
  limit: 'they were in it too often at once',
  loop: 'too many automations had led to each other',
  key: 'the value that tells entries apart was too long',
  failed: 'it failed time and again',
}

export const refusalText = (reason: string) => REFUSALS[reason] ?? reason

/** Why a run has ended before its end. */
const REASONS: Readonly<Record<string, string>> = {
  criterion: 'something happened that ends it',
  goal: 'the goal was reached',
  restart: 'the same event brought them in anew',
  unsubscribed: 'they want no more of it',
  stopped: 'it was stopped',
  left: 'another automation had them leave',
  by_hand: 'somebody had them leave',
  merged: 'the contact they were merged with was further',
  loop: 'they came to too many steps',
}

export const reasonText = (reason: string) => REASONS[reason] ?? reason

/** Why a mail was not sent, that the automation had come to. */
const SKIPS: Readonly<Record<string, string>> = {
  no_email: 'no address',
  suppressed: 'suppressed',
  unsubscribed_everything: 'unsubscribed from everything',
  unsubscribed_source: 'unsubscribed from this automation',
  unconfirmed: 'not confirmed',
  quiet_hours: 'quiet hours until it was too late',
  frequency_cap: 'no room for more mail',
  run_ended: 'left it before the mail went',
}

export const skipText = (reason: string) => SKIPS[reason] ?? reason
