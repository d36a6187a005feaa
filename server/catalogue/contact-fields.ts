import { EMAIL_BYTES_MAX } from '../platform/mail/mail-address.ts'

type ContactFieldEntry = {
  /** In requests, answers, imports and exports. */
  name: string
  /** Of the table `contacts`; also what a segment's definition and a template may call it. */
  column: string
  charsMax: number
  /** Whether a contact is known by it: unique in the workspace, and looked for in this order. */
  isAlias: boolean
  description: string
  example: string
  /** Names of columns in other products' files, in ten languages, in plain small letters and digits alone, that are suggested to go here. */
  importWords: readonly string[]
  /** The value it has in a preview, if a template can name it; null if none can. */
  mergeSample: string | null
}

/**
 * The core fields of a contact (interface specification, Contact), all of them text. Schemas, statements, import mapping,
 * export columns, rule fields and merge variables come from here; tests hold the table and the guide to it.
 */
export const CONTACT_FIELDS = [
  {
    name: 'subjectId',
    column: 'subject_id',
    charsMax: 200,
    isAlias: true,
    description: 'Your own id of the person; unique in the workspace.',
    example: 'user-42',
    importWords: [
      ...['subjectid', 'userid', 'externalid', 'customerid', 'kundennummer', 'kundenid', 'kundenummer', 'kundnummer'],
      ...['klantnummer', 'numeroclient', 'numerodecliente', 'numerocliente', 'numerklienta'],
    ],
    mergeSample: null,
  },
  {
    name: 'email',
    column: 'email',
    charsMax: EMAIL_BYTES_MAX,
    isAlias: true,
    description: 'Unique in the workspace; stored in lower case.',
    example: 'ada@example.com',
    importWords: [
      ...['email', 'emailaddress', 'emailaddresses', 'mail', 'emailadresse', 'mailadresse', 'epost', 'epostadress'],
      ...['correo', 'correoelectronico', 'direcciondecorreoelectronico', 'courriel', 'adresseemail', 'adressemail'],
      ...['adresseelectronique', 'indirizzoemail', 'postaelettronica', 'emailadres', 'mailadres', 'adresemail'],
      ...['enderecodeemail', 'correioeletronico'],
    ],
    mergeSample: 'alex.sample@example.com',
  },
  {
    name: 'phone',
    column: 'phone',
    charsMax: 40,
    isAlias: true,
    description: 'Unique in the workspace.',
    example: '+44 20 7946 0958',
    importWords: [
      ...[
        'phone',
        'phonenumber',
        'mobile',
        'mobilenumber',
        'mobilephone',
        'smsphonenumber',
        'telefon',
        'telefonnummer',
      ],
      ...[
        'handy',
        'handynummer',
        'mobil',
        'mobilnummer',
        'mobiltelefon',
        'telefono',
        'numerodetelefono',
        'movil',
        'tel',
      ],
      ...['telephone', 'numerodetelephone', 'portable', 'cellulare', 'telefoon', 'telefoonnummer', 'mobiel'],
      ...['numertelefonu', 'telefone', 'celular', 'telemovel'],
    ],
    mergeSample: null,
  },
  {
    name: 'firstName',
    column: 'first_name',
    charsMax: 200,
    isAlias: false,
    description: 'Given name.',
    example: 'Ada',
    importWords: [
      ...[
        'firstname',
        'givenname',
        'fname',
        'vorname',
        'fornavn',
        'fornamn',
        'voornaam',
        'prenom',
        'nombre',
        'nome',
        'imie',
      ],
      'primeironome',
    ],
    mergeSample: 'Alex',
  },
  {
    name: 'lastName',
    column: 'last_name',
    charsMax: 200,
    isAlias: false,
    description: 'Family name.',
    example: 'Lovelace',
    importWords: [
      ...[
        'lastname',
        'familyname',
        'surname',
        'lname',
        'nachname',
        'familienname',
        'efternavn',
        'efternamn',
        'achternaam',
      ],
      ...['nom', 'nomdefamille', 'apellido', 'apellidos', 'cognome', 'nazwisko', 'sobrenome', 'apelido', 'ultimonome'],
    ],
    mergeSample: 'Sample',
  },
  {
    name: 'timeZone',
    column: 'time_zone',
    charsMax: 64,
    isAlias: false,
    description: 'IANA time zone.',
    example: 'Europe/London',
    importWords: [
      ...['timezone', 'zeitzone', 'tidszone', 'tidszon', 'tijdzone', 'fuseauhoraire', 'zonahoraria', 'husohorario'],
      ...['fusoorario', 'fusohorario', 'strefaczasowa'],
    ],
    mergeSample: null,
  },
] as const satisfies readonly ContactFieldEntry[]

type Entry = (typeof CONTACT_FIELDS)[number]
export type ContactField = Entry['name']
export type ContactFieldColumn = Entry['column']
export type Alias = Extract<Entry, { isAlias: true }>['name']
export type MergeField = Extract<Entry, { mergeSample: string }>['name']

export const CONTACT_FIELD_NAMES: readonly ContactField[] = CONTACT_FIELDS.map(({ name }) => name)
export const ALIAS_FIELDS = CONTACT_FIELDS.filter((field) => field.isAlias)
/** By what a contact is found, in the order in which it is looked for (decisions 11; reference 1.6). */
export const ALIASES: readonly Alias[] = ALIAS_FIELDS.map(({ name }) => name)
export const MERGE_FIELDS = CONTACT_FIELDS.filter((field) => field.mergeSample !== null)

export const FIELD_CHARS_MAX = Object.fromEntries(
  CONTACT_FIELDS.map(({ name, charsMax }) => [name, charsMax]),
) as Readonly<Record<ContactField, number>>
