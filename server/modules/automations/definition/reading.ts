import type { FieldError } from '../../../platform/problem.ts'
import { isObject } from '../../segments/parse-definition.ts'

/** Reads values of JSON and gathers what is wrong with them, each fault with a pointer to its place. */
export class Reading {
  readonly faults: FieldError[] = []

  fault(pointer: string, detail: string): void {
    this.faults.push({ pointer, detail })
  }

  /** An object with no other keys than these; what it lacks is undefined. */
  object<K extends string>(value: unknown, pointer: string, keys: readonly K[]): Partial<Record<K, unknown>> {
    if (!isObject(value)) {
      this.fault(pointer, 'must be an object')
      return {}
    }
    for (const key of Object.keys(value)) {
      if ((keys as readonly string[]).includes(key)) continue
      this.fault(`${pointer}/${escaped(key)}`, `is not known: there are ${keys.join(', ')}`)
    }
    return value as Partial<Record<K, unknown>>
  }

  list(value: unknown, pointer: string, { max, min = 0 }: { max: number; min?: number }): readonly unknown[] {
    if (!Array.isArray(value)) {
      this.fault(pointer, 'must be a list')
      return []
    }
    if (value.length < min) this.fault(pointer, `must have at least ${min} item${min === 1 ? '' : 's'}`)
    if (value.length > max) this.fault(pointer, `must have at most ${max} items`)
    return value.slice(0, max)
  }

  text(value: unknown, pointer: string, charsMax: number): string {
    const fault = textFault(value, charsMax)
    if (fault === undefined) return value as string
    this.fault(pointer, fault)
    return ''
  }

  textOrNull(value: unknown, pointer: string, charsMax: number): string | null {
    return value === undefined || value === null ? null : this.text(value, pointer, charsMax)
  }

  oneOf<const W extends readonly string[]>(value: unknown, pointer: string, words: W): W[number] {
    if (typeof value === 'string' && words.includes(value)) return value
    this.fault(pointer, `must be one of ${words.join(', ')}`)
    return words[0]!
  }

  whole(value: unknown, pointer: string, { min, max }: { min: number; max: number }): number {
    if (typeof value === 'number' && Number.isInteger(value) && value >= min && value <= max) return value
    this.fault(pointer, `must be a whole number from ${min} to ${max}`)
    return min
  }

  boolean(value: unknown, pointer: string, absent: boolean): boolean {
    if (value === undefined) return absent
    if (typeof value === 'boolean') return value
    this.fault(pointer, 'must be true or false')
    return absent
  }
}

/** Characters that a value in a pointer cannot have as they are (RFC 6901). */
export function escaped(key: string): string {
  return key.replaceAll('~', '~0').replaceAll('/', '~1')
}

function textFault(value: unknown, charsMax: number): string | undefined {
  if (typeof value !== 'string') return 'must be text'
  if (value.trim() === '') return 'must not be blank'
  return value.length > charsMax ? `must have at most ${charsMax} characters` : undefined
}
