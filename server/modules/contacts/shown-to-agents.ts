import { Type } from 'typebox'
import { maskAddress, maskPhone, untrustedObject, untrustedText } from '../../platform/untrusted-text.ts'
import { MaybeText, Text, Untrusted } from '../tool.ts'
import type { ShownContact } from './schemas.ts'

/** A contact as agents see it: what the person, or whoever filled in a form, wrote is apart, and the address masked. */
export const AgentContact = Type.Object({
  id: Text,
  consent: MaybeText,
  suppressed: MaybeText,
  unsubscribedFrom: Type.Array(Text),
  createdAt: Text,
  untrusted: Untrusted,
})

const TAGS_SHOWN_MAX = 20

/** `fields`: with everything that is known, else who it is. */
export function agentContact(contact: ShownContact, { fields = false } = {}) {
  const { email, phone, firstName, lastName, subjectId, timeZone, customFields, tags } = contact
  return {
    id: contact.id,
    consent: contact.consent?.provenance ?? null,
    suppressed: contact.suppression?.reason ?? null,
    unsubscribedFrom: contact.unsubscribedFrom,
    createdAt: contact.createdAt,
    untrusted: {
      ...untrustedObject({ firstName, lastName, tags: tags.slice(0, TAGS_SHOWN_MAX) }),
      // The domain of an address is a text of its owner, too.
      email: email === null ? null : untrustedText(maskAddress(email)),
      ...(fields
        ? {
            phone: phone === null ? null : maskPhone(phone),
            ...untrustedObject({ subjectId, timeZone, customFields }),
          }
        : {}),
    },
  }
}
