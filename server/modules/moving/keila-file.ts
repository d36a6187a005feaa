import type { ByteSource } from '../../platform/bytes/byte-source.ts'
import { parseForeignJson } from '../../platform/json/exact-json.ts'
import { isPlainObject } from '../../platform/json/plain-object.ts'
import { csvPart, peopleFileOf } from './csv-part.ts'
import { type KeilaContact, keilaPeople } from './keila.ts'
import { MovingError, type ReadPage } from './moved.ts'
import { inParts } from './read-parts.ts'

/** Columns of the file that Keila exports, and what its API calls them. */
const COLUMNS = {
  Email: 'email',
  'First name': 'first_name',
  'Last name': 'last_name',
  Data: 'data',
  Status: 'status',
  'External ID': 'external_id',
} as const

/** Reads the file of contacts that Keila exports. It has no templates and no campaigns. */
export async function keilaFile(bytes: ByteSource): Promise<ReadPage> {
  const file = await peopleFileOf('contacts', () => bytes.from(0))
  const names = 'fault' in file ? [] : file.shape.columns.map(({ name }) => name)
  if ('fault' in file || !names.includes('Email') || !names.includes('Status')) {
    throw new MovingError('it is no file of contacts of Keila: it has no columns "Email" and "Status"')
  }
  return inParts({ contacts: csvPart(file, (rows) => keilaPeople(rows.map((row) => contactOf(names, row)))) })
}

function contactOf(names: readonly string[], row: readonly string[]): KeilaContact {
  const said: Record<string, string> = {}
  for (const [n, name] of names.entries()) {
    if (Object.hasOwn(COLUMNS, name)) said[COLUMNS[name as keyof typeof COLUMNS]] = row[n] ?? ''
  }
  const { email = '', status = 'active', data = '', ...rest } = said
  return { ...rest, email, status, data: objectOf(data) }
}

/** Nothing of what is no object: the row keeps what it has beside. */
function objectOf(text: string): Record<string, unknown> {
  try {
    const value = parseForeignJson(text)
    return isPlainObject(value) ? value : {}
  } catch {
    return {}
  }
}
