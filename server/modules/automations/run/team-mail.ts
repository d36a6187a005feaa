import { shortenedText } from '../../../platform/cut-text.ts'
import type { MailContent } from '../../system-mail/render-mail.ts'

/** Somebody who has come to a step that tells the team. */
export type Comer = { contactId: string; who: string; cameAt: string; message: string }
/** One step, with how many have come to it and the first of them. */
export type Told = { subject: string; people: number; since: string; named: readonly Comer[] }
export type Place = { automation: string; automationId: string; workspace: string; slug: string }

type Team = { name: string; told: readonly Told[]; place: Place; everyMinutes: number }
type UrlOf = (path: string) => string

/** In a list of people a message has as much room. */
const LISTED_CHARS_MAX = 300

/** The mail to one member: about one person, or a digest of all who have come since the mail before. */
export function teamMail({ name, told, place, everyMinutes }: Team, urlOf: UrlOf): MailContent {
  const people = told.reduce((sum, one) => sum + one.people, 0)
  const [first] = told
  const [comer] = first?.named ?? []
  if (people === 1 && comer) return ofOne({ name, subject: first!.subject, comer, place }, urlOf)
  const steps = told.length === 1 ? `${first!.subject}: ${people} people` : undefined
  return {
    subject: steps ?? `${place.automation}: ${people} people at ${told.length} steps`,
    paragraphs: [
      `Hello ${name},`,
      `${people === 1 ? '1 person has' : `${people} people have`} come to steps of the automation ${place.automation} of the workspace ${place.workspace} that tell you.`,
      ...told.flatMap(linesOf),
    ],
    link: { label: 'Open the automation', url: urlOf(`${place.slug}/automations/${place.automationId}`) },
    closing: [
      `The first of them is told at once. Whoever comes within ${everyMinutes} minutes after a mail is told in the next one, so that you get no more than one mail in that time.`,
    ],
  }
}

type OfOne = { name: string; subject: string; comer: Comer; place: Place }

function ofOne({ name, subject, comer, place }: OfOne, urlOf: UrlOf): MailContent {
  const { who, cameAt, message, contactId } = comer
  return {
    subject,
    paragraphs: [
      `Hello ${name},`,
      `${who} has come to the step “${subject}” of the automation ${place.automation} of the workspace ${place.workspace} on ${cameAt}.`,
      ...paragraphsOf(message),
    ],
    link: { label: 'Open the contact', url: urlOf(`${place.slug}/contacts/${contactId}`) },
  }
}

function linesOf({ subject, people, since, named }: Told): string[] {
  const more = people - named.length
  return [
    `${subject}: ${people === 1 ? '1 person' : `${people} people`} since ${since}`,
    ...named.map(({ who, message }) =>
      message === '' ? `- ${who}` : `- ${who}: ${shortenedText(message, LISTED_CHARS_MAX)}`,
    ),
    ...(more > 0 ? [`- and ${more} more, whom the page of the automation shows`] : []),
  ]
}

const paragraphsOf = (message: string) => message.split(/\n+/).filter((line) => line.trim() !== '')
