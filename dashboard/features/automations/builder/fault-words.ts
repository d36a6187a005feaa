import { sentence } from '../../../ui/form.ts'
import { lostMailText, type PlacedFault } from './fault-places.ts'

/** `Subject must not be blank`: a fault in a sentence, with the name of its field. */
export function faultText({ pointer, detail }: PlacedFault): string {
  return lostMailText(detail) ?? sentence(pointer === '' ? `it ${detail}` : `${fieldName(pointer)} ${detail}`)
}

/** The last part of a pointer that is a name: `/ways/0/if` is the rule of a way. */
function fieldName(pointer: string): string {
  return pointer.split('/').findLast((part) => part !== '' && !/^\d+$/.test(part)) ?? 'it'
}
