import {
  BoltIcon,
  ClockIcon,
  CodeIcon,
  FormsIcon,
  GitBranchIcon,
  type Icon,
  ListDetailsIcon,
  MailIcon,
  SelectorIcon,
  TagIcon,
  UserPlusIcon,
  UsersIcon,
  UserXIcon,
  WebhookIcon,
  XIcon,
} from '../../../ui/icons.tsx'
import { RosetteDiscountCheckIcon } from '../../../ui/rare-icons.tsx'
import type { StepJson } from './edit-flow.ts'
import { newRule, SHARES } from './step-ways.ts'

export type StepKind = {
  type: string
  name: string
  /** A line on what it does, and words by which it is looked for. */
  does: string
  words: string
  icon: Icon
  /** A new one that goes on at a step. */
  make: (to: string) => StepJson
}

const BODY = `<mjml>
  <mj-body>
    <mj-section>
      <mj-column>
        <mj-text>Hello {{ first_name | default: "there" }},</mj-text>
        <mj-text><p>write here.</p></mj-text>
        <mj-text font-size="12px"><a href="{{ unsubscribe_url }}">Unsubscribe</a></mj-text>
      </mj-column>
    </mj-section>
  </mj-body>
</mjml>
`

/** Steps that can be put into an automation, the most used first. */
export const STEP_KINDS: readonly StepKind[] = [
  {
    type: 'email',
    name: 'Send a mail',
    does: 'A template, or a mail written here.',
    words: 'email message template newsletter',
    icon: MailIcon,
    make: (to) => ({ type: 'email', subject: '', body: BODY, to }),
  },
  {
    type: 'delay',
    name: 'Wait',
    does: 'For a time, or until a time of day or a weekday.',
    words: 'delay pause days hours time schedule',
    icon: ClockIcon,
    make: (to) => ({ type: 'delay', days: 1, to }),
  },
  {
    type: 'wait',
    name: 'Wait until something happens',
    does: 'An event, a rule that holds, a segment or a date; or nothing within a time.',
    words: 'event order paid timeout condition rule segment date appointment birthday',
    icon: BoltIcon,
    make: (to) => ({ type: 'wait', for: [{ event: '', to }], timeout: 'P1D', late: to }),
  },
  {
    type: 'branch',
    name: 'Branch',
    does: 'Different ways for different people: tags, fields, events, clicks.',
    words: 'if condition yes no decide',
    icon: GitBranchIcon,
    make: (to) => ({ type: 'branch', ways: [{ if: newRule(), to }], else: to }),
  },
  {
    type: 'split',
    name: 'Split at random',
    does: 'Parts of the people go different ways, to compare them.',
    words: 'test ab percent random experiment',
    icon: SelectorIcon,
    make: (to) => ({
      type: 'split',
      ways: [
        { weight: SHARES / 2, to },
        { weight: SHARES / 2, to },
      ],
    }),
  },
  {
    type: 'tag',
    name: 'Add or remove tags',
    does: 'Marks the person.',
    words: 'label',
    icon: TagIcon,
    make: (to) => ({ type: 'tag', add: [], to }),
  },
  {
    type: 'field',
    name: 'Set a custom field',
    does: 'Writes a value into the contact.',
    words: 'attribute property update',
    icon: FormsIcon,
    make: (to) => ({ type: 'field', set: {}, to }),
  },
  {
    type: 'set',
    name: 'Set a variable',
    does: 'Remembers something for the rest of this way: rules and mails know it.',
    words: 'remember store value var property',
    icon: CodeIcon,
    make: (to) => ({ type: 'set', set: {}, to }),
  },
  {
    type: 'emit',
    name: 'Record an event',
    does: 'As if it had happened: webhooks and other automations hear of it.',
    words: 'emit trigger',
    icon: ListDetailsIcon,
    make: (to) => ({ type: 'emit', event: '', to }),
  },
  {
    type: 'webhook',
    name: 'Call a webhook',
    does: 'Tells another system of the person, at one endpoint.',
    words: 'http request endpoint api send integration',
    icon: WebhookIcon,
    make: (to) => ({ type: 'webhook', endpoint: '', to }),
  },
  {
    type: 'notify',
    name: 'Tell the team',
    does: 'A mail to members of the workspace: who has come here.',
    words: 'notify notification alert sales colleague internal email',
    icon: UsersIcon,
    make: (to) => ({ type: 'notify', subject: '', to }),
  },
  {
    type: 'goal',
    name: 'Goal reached',
    does: 'Counts the person as won here.',
    words: 'conversion success',
    icon: RosetteDiscountCheckIcon,
    make: (to) => ({ type: 'goal', to }),
  },
  {
    type: 'enroll',
    name: 'Enrol elsewhere',
    does: 'The person comes into another automation too.',
    words: 'start add automation',
    icon: UserPlusIcon,
    make: (to) => ({ type: 'enroll', automation: '', to }),
  },
  {
    type: 'leave',
    name: 'Leave elsewhere',
    does: 'The person leaves another automation.',
    words: 'stop exit automation',
    icon: UserXIcon,
    make: (to) => ({ type: 'leave', automation: '', to }),
  },
  {
    type: 'end',
    name: 'End',
    does: 'The way through ends here.',
    words: 'stop finish',
    icon: XIcon,
    make: () => ({ type: 'end' }),
  },
]

export const kindNamed = (type: string) => STEP_KINDS.find((kind) => kind.type === type)

const LETTERS = 'abcdefghijklmnopqrstuvwxyz'
const RANDOM_LETTERS = 5

/** An id that no version has had: people keep their places by ids, and must not come to another step of the same name. */
export function newStepId(type: string): string {
  const bytes = crypto.getRandomValues(new Uint8Array(RANDOM_LETTERS))
  return `${type}-${Array.from(bytes, (byte) => LETTERS[byte % LETTERS.length]).join('')}`
}

/**
 * Kinds that fit what is looked for: first those whose name begins so, then those whose name has it. An end is one of them
 * only where nothing follows (`isLast`).
 */
export function kindsFor(search: string, isLast: boolean): StepKind[] {
  const wanted = search.trim().toLowerCase()
  const found = STEP_KINDS.filter(
    ({ type, name, does, words }) =>
      (isLast || type !== 'end') && `${name} ${does} ${words}`.toLowerCase().includes(wanted),
  )
  const rank = ({ name }: StepKind) => {
    const at = name.toLowerCase().indexOf(wanted)
    return at === 0 ? 0 : at > 0 ? 1 : 2
  }
  return found.toSorted((one, other) => rank(one) - rank(other))
}
