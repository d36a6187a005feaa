import { folded, yesOrNo } from './folded.ts'

/** A no, the weakest first: to newsletters, to all marketing mail, and an address that nothing at all goes to. */
export const NOES = ['no_newsletters', 'unsubscribed', 'suppressed'] as const
export type No = (typeof NOES)[number]
export type Status = 'subscribed' | 'unconfirmed' | No

/** Words that exports and people have for it, folded, in the languages of readers. */
const STATUSES: Readonly<Record<Exclude<Status, 'no_newsletters'>, string>> = {
  subscribed:
    'subscribed confirmed active enabled optedin optin abonniert angemeldet aktiv bestatigt abonne inscrit actif suscrito ' +
    'activo confirmado iscritto attivo inscrito ativo geabonneerd ingeschreven actief tilmeldt prenumererar subskrybowany ' +
    'aktywny zapisany',
  unconfirmed:
    'unconfirmed pending nonsubscribed neversubscribed notsubscribed transactional ausstehend unbestatigt enattente pendiente inattesa pendente ' +
    'inafwachting afventer vantar oczekujacy niepotwierdzony',
  unsubscribed:
    'unsubscribed unsubscribe optedout optout inactive abgemeldet inaktiv desabonne desinscrit inactif desuscrito inactivo disiscritto ' +
    'inattivo cancelado inativo uitgeschreven afgemeld inactief afmeldt avanmald wypisany nieaktywny',
  suppressed:
    'suppressed usersuppressed disabled cleaned bounced hardbounce hardbounced invalidemail complained spamcomplaint blocklisted blacklisted gesperrt bereinigt bloque nettoye bloqueado ' +
    'bloccato geblokkeerd blokeret blockerad zablokowany',
}

const WORDS: ReadonlyMap<string, Status> = new Map(
  Object.entries(STATUSES).flatMap(([status, words]) =>
    words.split(' ').map((word): [string, Status] => [word, status as Status]),
  ),
)

/**
 * The status of a subscription by its word; yes and no are words for it too. A no is one to newsletters: it says nothing of other mail,
 * and keeps nobody from asking for them later. Undefined for another word.
 */
export function statusOf(text: string): Status | undefined {
  const known = WORDS.get(folded(text))
  if (known) return known
  const yes = yesOrNo(text)
  return yes === undefined ? undefined : yes ? 'subscribed' : 'no_newsletters'
}

export function isNo(status: Status | undefined): status is No {
  return NOES.some((no) => no === status)
}

/** The status that counts of two: a no before any other, and of two the one to more. */
export function weightier(one: Status | undefined, other: Status): Status {
  const weight = (status: Status | undefined) => (NOES as readonly unknown[]).indexOf(status)
  return weight(one) > weight(other) ? one! : other
}
