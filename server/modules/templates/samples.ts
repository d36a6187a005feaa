/** Groups that a gallery shows samples by. Those of `transactional` want variables of a call; the others go to a broadcast as they are. */
export const SAMPLE_KINDS = ['newsletter', 'announcement', 'relationship', 'transactional'] as const

export type Sample = {
  /** Its body is `samples/<key>.mjml`. */
  key: string
  kind: (typeof SAMPLE_KINDS)[number]
  name: string
  description: string
  subject: string
  /** Its one colour, by day and in the dark, which gives way to the workspace's own; null: black. */
  accent: { day: string; dark: string } | null
  /** Values for a preview of it, where it needs more than a contact has. */
  variables: Record<string, unknown>
}

/** The sender of every sample, until a workspace puts its own name there. */
export const SAMPLE_SENDER = 'Fernwood'

const ADDRESS = '12 Mill Lane\nYork YO1 7HH'
const MARKETING = { postal_address: ADDRESS }

/** The templates offered to begin with, in the order of a gallery. */
export const SAMPLES: readonly Sample[] = [
  {
    key: 'newsletter',
    kind: 'newsletter',
    name: 'Monthly letter',
    description: 'One lead story, two shorter ones side by side.',
    subject: 'The workshop is open again',
    accent: { day: '#1f6f5c', dark: '#8fd0bd' },
    variables: MARKETING,
  },
  {
    key: 'newsletter-links',
    kind: 'newsletter',
    name: 'Five links',
    description: 'A list of things worth reading, each with a sentence.',
    subject: 'Five things worth your time',
    accent: { day: '#b0303a', dark: '#ff9aa0' },
    variables: MARKETING,
  },
  {
    key: 'newsletter-story',
    kind: 'newsletter',
    name: 'One story',
    description: 'A long read, set like a magazine page, with a quotation.',
    subject: 'What the tree already knew',
    accent: { day: '#2b4d8c', dark: '#a9c1f2' },
    variables: MARKETING,
  },
  {
    key: 'launch',
    kind: 'announcement',
    name: 'Product launch',
    description: 'A dark stage for something new, four reasons, a price.',
    subject: 'Meet the Fold desk',
    accent: { day: '#b8400f', dark: '#ffb08a' },
    variables: MARKETING,
  },
  {
    key: 'sale',
    kind: 'announcement',
    name: 'Sale',
    description: 'One large number, three offers, a code.',
    subject: 'A third off oak and ash, until Sunday',
    accent: { day: '#b01247', dark: '#ff9bb8' },
    variables: MARKETING,
  },
  {
    key: 'event',
    kind: 'announcement',
    name: 'Event',
    description: 'A date, the evening hour by hour, the way there.',
    subject: '{{ first_name | default: "You" }}, an evening at the workshop?',
    accent: { day: '#0c6a64', dark: '#7fd4cb' },
    variables: MARKETING,
  },
  {
    key: 'welcome',
    kind: 'relationship',
    name: 'Welcome',
    description: 'A warm first mail: three steps and one button.',
    subject: 'Good to have you{% if first_name != "" %}, {{ first_name }}{% endif %}',
    accent: { day: '#5046d6', dark: '#b3aeff' },
    variables: MARKETING,
  },
  {
    key: 're-engagement',
    kind: 'relationship',
    name: 'Still interested?',
    description: 'For readers who have gone quiet: stay, less often, or goodbye.',
    subject: 'Shall we keep writing?',
    accent: { day: '#8f4413', dark: '#f3b98f' },
    variables: MARKETING,
  },
  {
    key: 'feedback',
    kind: 'relationship',
    name: 'One question',
    description: 'Five numbers to click on. The link carries the answer.',
    subject: 'How did we do? One click',
    accent: { day: '#2c6b2f', dark: '#9fd9a2' },
    variables: MARKETING,
  },
  {
    key: 'letter',
    kind: 'relationship',
    name: 'Plain letter',
    description: 'As one writes to somebody one knows. No design in the way.',
    subject: 'A short letter{% if first_name != "" %}, {{ first_name }}{% endif %}',
    accent: { day: '#2b55b5', dark: '#a5c0ff' },
    variables: MARKETING,
  },
  {
    key: 'receipt',
    kind: 'transactional',
    name: 'Receipt',
    description: 'The lines of an order, its total, where it goes.',
    subject: 'Your receipt for order {{ order.number }}',
    accent: null,
    variables: {
      order: {
        number: '10421',
        placed_at: '2026-01-15T09:30:00Z',
        currency: 'EUR',
        items: [
          { name: 'Walnut desk organiser', quantity: 1, price: '48.00' },
          { name: 'Linen notebook', quantity: 3, price: '27.00' },
        ],
        shipping: '4.90',
        total: '79.90',
        url: 'https://example.com/orders/10421',
        address: ADDRESS,
      },
    },
  },
  {
    key: 'password-reset',
    kind: 'transactional',
    name: 'Password reset',
    description: 'One link, how long it is good, and what to do if it was not you.',
    subject: 'Choose a new password',
    accent: { day: '#1d55b8', dark: '#9cc0ff' },
    variables: { reset_url: 'https://example.com/reset/4f9c2b7d', minutes: 60 },
  },
  {
    key: 'invitation',
    kind: 'transactional',
    name: 'Invitation',
    description: 'Who invites to what, with a word of their own.',
    subject: '{{ inviter }} invites you to {{ team }}',
    accent: { day: '#7a2fa0', dark: '#dba9f5' },
    variables: {
      inviter: 'Maya Lind',
      team: 'Studio North',
      message: 'We plan the spring fair here. Come and bring your drawings.',
      accept_url: 'https://example.com/join/8c31e7',
      days: 7,
    },
  },
  {
    key: 'digest',
    kind: 'transactional',
    name: 'Digest',
    description: 'A week in three numbers and a list, from your program’s data.',
    subject: '{{ digest.period }} in {{ digest.place }}',
    accent: { day: '#4138c2', dark: '#b1abff' },
    variables: {
      digest: {
        period: 'Your week',
        place: 'Studio North',
        numbers: [
          { value: '12', name: 'drawings' },
          { value: '38', name: 'comments' },
          { value: '4', name: 'decisions' },
        ],
        items: [
          {
            title: 'Maya moved the fair to 14 May',
            text: 'Six people agreed, nobody minds.',
            url: 'https://example.com/1',
          },
          {
            title: 'The stand has a plan',
            text: 'Version 3, with the lamp on the left.',
            url: 'https://example.com/2',
          },
          { title: 'Jon asks who brings the ladder', text: 'No answer yet.', url: 'https://example.com/3' },
        ],
        url: 'https://example.com/week',
      },
    },
  },
]
