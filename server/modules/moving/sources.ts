import type { ByteSource } from '../../platform/bytes/byte-source.ts'
import type { Way } from './ask-api.ts'
import { BREVO, BREVO_ADDRESS, brevo } from './brevo.ts'
import { KEILA, keila } from './keila.ts'
import { keilaFile } from './keila-file.ts'
import { LISTMONK, listmonk } from './listmonk.ts'
import { MAILCHIMP, mailchimpArchive } from './mailchimp.ts'
import { MAILCHIMP_API, mailchimpAddress, mailchimpApi } from './mailchimp-api.ts'
import { MovingError, type ReadPage, type Service } from './moved.ts'

export type Login = { base: string; key: string; way: Way }

type ApiSource = {
  service: Service
  /** Where the API is, of a service that has one address for everybody; a key may say it. */
  address: (key: string) => string | undefined
  open: (login: Login) => ReadPage
}
type FileSource = { service: Service; open: (content: ByteSource) => Promise<ReadPage> }

const nowhere = () => undefined

/** Services that are asked, and files of those that export some. */
export const API_SOURCES = {
  brevo: { service: BREVO, address: () => BREVO_ADDRESS, open: brevo },
  keila: { service: KEILA, address: nowhere, open: keila },
  listmonk: { service: LISTMONK, address: nowhere, open: listmonk },
  mailchimp: { service: MAILCHIMP_API, address: mailchimpAddress, open: mailchimpApi },
} as const satisfies Record<string, ApiSource>

export const FILE_SOURCES = {
  'mailchimp-archive': { service: MAILCHIMP, open: mailchimpArchive },
  'keila-file': { service: KEILA, open: keilaFile },
} as const satisfies Record<string, FileSource>

export type ApiSourceName = keyof typeof API_SOURCES
export type FileSourceName = keyof typeof FILE_SOURCES
export type SourceName = ApiSourceName | FileSourceName

export const API_SOURCE_NAMES = Object.keys(API_SOURCES) as ApiSourceName[]
export const FILE_SOURCE_NAMES = Object.keys(FILE_SOURCES) as FileSourceName[]

export function isFileSource(name: SourceName): name is FileSourceName {
  return Object.hasOwn(FILE_SOURCES, name)
}

export function serviceOf(name: SourceName): Service {
  return (isFileSource(name) ? FILE_SOURCES[name] : API_SOURCES[name]).service
}

/** The address of a service without the slash at its end, as given or as it is for everybody. Throws where there is none. */
export function addressOf(name: ApiSourceName, { given, key }: { given?: string | undefined; key: string }): string {
  const address = given ?? API_SOURCES[name].address(key)
  if (address !== undefined) return address.endsWith('/') ? address.slice(0, -1) : address
  throw new MovingError(
    name === 'mailchimp'
      ? 'the key is none of Mailchimp: it ends with its data centre, such as -us21'
      : 'it needs the address of its installation',
  )
}
