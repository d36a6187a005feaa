import { CONTACT_FIELDS } from '../../catalogue/contact-fields.ts'
import { folded } from './folded.ts'

/** A number as programs write it. One of more digits before the point is a code, a phone number or an id rather than a quantity. */
const PLAIN = /^-?(?:0|[1-9]\d{0,8})(?:\.\d{1,15})?$/
/** Postcodes, phone numbers and ids: a zero or a plus in front, or ten digits and more. One of them tells of its whole column. */
const CODE = /^(?:\+|0\d|\d{10})/
/** Three digits behind a point are decimals or a group of thousands. */
const GROUP_OR_DECIMALS = /^-?[1-9]\d{0,2}\.\d{3}$/

const words = (text: string): ReadonlySet<string> => new Set(text.split(' '))

/** Words that name a code wherever they stand in the name of a column, folded. */
const CODE_WORDS = words(
  'zip zipcode postcode postal plz postleitzahl cap cp codepostal codigopostal postnummer postnr kodpocztowy ' +
    'tel phone telephone telefon mobile mobil handy fax telefono telefoon telefone telefax',
)
/** Words that name one where they stand last: `Order number` is a code, `Number of orders` is none. */
const LAST_WORDS = words(
  'id ids uid no nr nro num number nummer numero numer code kode kod codigo codice key ref reference sku ean isbn',
)
const CODE_NAMES: ReadonlySet<string> = new Set(
  CONTACT_FIELDS.flatMap(({ isAlias, importWords }) => (isAlias ? importWords : [])),
)
const CODE_ENDS =
  /(?:nummer|nr|postcode|zipcode|telefon|phone|(?:user|customer|client|account|contact|member|order|kunden|artikel)id)$/

/**
 * Whether a column holds numbers without anything between their digits: nine of ten values, and none that is a code, for numbers of
 * which one begins with a zero are postcodes, and a number would lose the zero.
 */
export function isOfPlainNumbers(name: string, values: readonly string[], part: number): boolean {
  const plain = values.filter((value) => PLAIN.test(value))
  if (plain.length < values.length * part || values.some((value) => CODE.test(value)) || isNamedForCodes(name))
    return false
  const decimals = plain.filter((value) => value.includes('.'))
  return decimals.length === 0 || !decimals.every((value) => GROUP_OR_DECIMALS.test(value))
}

function isNamedForCodes(name: string): boolean {
  const parts = name
    .replaceAll(/(\p{Ll})(\p{Lu})/gu, '$1 $2')
    .split(/[^\p{L}\p{N}]+/u)
    .map(folded)
    .filter((word) => word !== '')
  const whole = folded(name)
  return (
    parts.some((word) => CODE_WORDS.has(word)) ||
    LAST_WORDS.has(parts.at(-1) ?? '') ||
    CODE_NAMES.has(whole) ||
    CODE_ENDS.test(whole)
  )
}
