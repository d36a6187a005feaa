/** A program of a user, which has to compile: each \`@ts-expect-error\` is a mistake that the types have to find. */
export const USES_OF_TYPES = `
import { AnswerLostError, type Client, type Contact, type ContactBody, createClient, PostroomError, type ProblemCode } from '@postroom/client'
import { postroom as transport } from '@postroom/client/nodemailer'
import { verifyWebhook, type WebhookEvent } from '@postroom/client/webhooks'
import { createTransport } from 'nodemailer'

type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false
const same = <A, B>(_: Same<A, B>) => undefined

const postroom: Client = createClient({ baseUrl: 'https://mail.example.com', token: 'prt_x' })

export async function uses() {
  const contact = await postroom.contacts.get('42')
  same<typeof contact.id, string>(true)
  same<typeof contact.email, string | null>(true)
  same<typeof contact.etag, string | undefined>(true)
  const plain: Contact = contact
  const body: ContactBody = { email: 'ada@example.com', customFields: { plan: 'pro' } }
  same<Awaited<ReturnType<typeof postroom.contacts.erase>>, void>(true)
  same<Awaited<ReturnType<typeof postroom.exports.download>>, Response>(true)
  await postroom.contacts.create(body, { idempotencyKey: 'a', retries: 0, signal: AbortSignal.timeout(1) })
  await postroom.contacts.update('42', { firstName: null }, { ifMatch: contact })
  await postroom.broadcasts.send('7')
  await postroom.broadcasts.send('7', { expectedCount: 12 })
  await postroom.contactTags.remove('42', 'VIP')
  await postroom.events.create({ events: [{ action: 'order.paid', email: 'ada@example.com' }] })
  await postroom.imports.create(new Blob(['email']).stream(), { fileName: 'a.csv' })
  await postroom.imports.create({ csv: 'email' })
  for await (const one of postroom.contacts.list({ tag: 'VIP' })) same<typeof one, Contact>(true)
  for await (const { items } of postroom.emails.list().parts()) same<(typeof items)[number]['destination'], string>(true)
  const { totalItems } = await postroom.contacts.list()
  same<typeof totalItems, number>(true)
  const { provenance } = contact.consent ?? { provenance: 'a value of tomorrow' }
  const known = provenance === 'double_opt_in'

  // @ts-expect-error an id is a text
  await postroom.contacts.get(42)
  // @ts-expect-error there is no such field
  await postroom.contacts.create({ mail: 'ada@example.com' })
  // @ts-expect-error a field that is needed
  await postroom.emails.send({ subject: 'Hello' })
  // @ts-expect-error a read has no key
  await postroom.contacts.get('42', { idempotencyKey: 'a' })
  // @ts-expect-error a creation heeds no entity tag
  await postroom.contacts.create(body, { ifMatch: contact })
  // @ts-expect-error there is no such filter
  await postroom.contacts.list({ tagged: 'VIP' })
  // @ts-expect-error there is no such operation
  await postroom.contacts.destroy('42')
  // @ts-expect-error what is sent has the values of today
  await postroom.contacts.upsert(body, { mode: 'guess' })
  return { plain, totalItems, known }
}

export function fails(error: unknown): ProblemCode | undefined {
  if (error instanceof PostroomError) {
    if (error.code === 'conflict') same<typeof error.status, number>(true)
    const pointers: string[] = error.errors.map(({ pointer }) => pointer)
    return pointers.length > 0 ? 'invalid-request' : undefined
  }
  if (error instanceof AnswerLostError) same<typeof error.outcome, 'unknown' | 'took-effect'>(true)
  // @ts-expect-error there is no such code
  return 'went-wrong'
}

export async function receives(request: Request) {
  const event: WebhookEvent = await verifyWebhook(await request.text(), request.headers, { secrets: ['whsec_a', 'whsec_b'] })
  switch (event.type) {
    case 'contact.created':
      same<typeof event.data.contactId, string>(true)
      return event.data.email
    case 'email.clicked':
      // @ts-expect-error it has no such field
      event.data.bounceKind
      return event.data.url
    case 'segment.deleted':
      return event.data.name
    case 'event.recorded':
      return event.data.action
    default:
      return event.deliveryId
  }
}

export const mailer = createTransport(transport({ client: postroom }))
export const sent = (): Promise<{ messageId: string }> => mailer.sendMail({ to: 'ada@example.com', text: 'Hello' })
`
