import { type Static, type TObject, type TProperties, type TSchema, Type } from 'typebox'
import { OTHER_NAMES, type OtherNames } from './did-you-mean.ts'

/** Deepest nesting of a free-form value; everything else is as deep as its schema. */
const FREE_FORM_DEPTH_MAX = 32

/** `otherNames`: what other services call a field, for whoever comes from there; they are not taken. */
type ShapeOptions = { description?: string; examples?: readonly object[]; otherNames?: OtherNames }

/**
 * An object of an answer, under the name it has in the API's description: the same name stands for the same fields
 * everywhere. Values that are not among its fields do not leave.
 */
export function answer<P extends TProperties>(name: string, fields: P, options: ShapeOptions = {}): TObject<P> {
  return Type.Object(fields, { title: name, ...options })
}

/**
 * An object that refuses unknown fields, so that nobody believes they set something that was ignored. A body has a name,
 * as an answer does; parameters have none.
 */
export function closed<P extends TProperties>(name: string, fields: P, options?: ShapeOptions): TObject<P>
export function closed<P extends TProperties>(fields: P, options?: ShapeOptions): TObject<P>
export function closed(first: string | TProperties, second: TProperties | ShapeOptions = {}, third?: ShapeOptions) {
  const [name, fields, options] =
    typeof first === 'string' ? [{ title: first }, second as TProperties, third] : [{}, first, second]
  const { otherNames, ...rest } = options ?? {}
  const others = otherNames === undefined ? {} : { [OTHER_NAMES]: otherNames }
  return Type.Object(fields, { additionalProperties: false, ...name, ...rest, ...others })
}

/** A body whose fields may all be absent, and which may be absent itself: the request then counts as one with `{}`. */
export function mayBeAbsent<S extends TObject>(body: S): S {
  return { ...body, [MAY_BE_ABSENT]: true }
}

export const MAY_BE_ABSENT = Symbol('may be absent')

/** The same value or null, in the form that serialises without trying alternatives. */
export function nullable<S extends TSchema & { type?: unknown; enum?: unknown[] }>(schema: S) {
  const words = schema.enum && { enum: [...schema.enum, null] }
  return Type.Unsafe<Static<S> | null>({ ...schema, type: [schema.type, 'null'], ...words } as TSchema)
}

/** One of a closed list of words. */
export function oneOf<const W extends readonly string[]>(words: W, options: { description?: string } = {}) {
  return Type.Unsafe<W[number]>({ type: 'string', enum: [...words], ...options } as TSchema)
}

/** A free-form key/value map. Numbers in it may be `JSON.rawJSON` values: hand it to `JSON.stringify` as it is. */
export const FreeForm = Type.Refine(
  Type.Unsafe<Record<string, unknown>>({ type: 'object', additionalProperties: true } as TSchema),
  (value) => !JSON.isRawJSON(value) && isShallow(value, FREE_FORM_DEPTH_MAX),
  () => `must be an object, nested at most ${FREE_FORM_DEPTH_MAX} deep`,
)

/** Whether a value has objects and lists in each other at most so deep. */
export function isShallow(value: object, left: number): boolean {
  if (left === 0) return false
  for (const item of Object.values(value)) {
    if (typeof item === 'object' && item !== null && !isShallow(item, left - 1)) return false
  }
  return true
}

export const ID_PATTERN = '^[0-9]+$'
/** A 64-bit identifier as a decimal string. A number beyond 64 bits is a 404 in a path, and in a query an id that nothing has. */
export const Id = Type.String({ pattern: ID_PATTERN, examples: ['42'] })

export const ID_MAX = 2n ** 63n - 1n

/** No row has such an id, and asking the database for one would be an error instead of an empty answer. */
export function isBeyondIds(value: unknown): boolean {
  return typeof value === 'string' && value.length > 18 && /^[0-9]+$/.test(value) && BigInt(value) > ID_MAX
}

/** RFC 3339; in answers always UTC with `Z`. */
export const Timestamp = Type.String({ format: 'date-time', examples: ['2026-11-21T03:10:40.123456Z'] })
