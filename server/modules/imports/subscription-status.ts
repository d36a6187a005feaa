import { folded, yesOrNo } from './folded.ts'

export type Status = 'subscribed' | 'unconfirmed' | 'opted_out'

/** Words that exports and people have for it, folded, in the languages of readers. */
const STATUSES: Readonly<Record<Status, string>> = {
  subscribed:
    'subscribed confirmed active enabled optedin optin abonniert angemeldet aktiv bestatigt abonne inscrit actif suscrito ' +
    'activo confirmado iscritto attivo inscrito ativo geabonneerd ingeschreven actief tilmeldt prenumererar subskrybowany ' +
    'aktywny zapisany',
  unconfirmed:
    'unconfirmed pending nonsubscribed transactional ausstehend unbestatigt enattente pendiente inattesa pendente ' +
    'inafwachting afventer vantar oczekujacy niepotwierdzony',
  opted_out:
    'unsubscribed optedout optout disabled inactive cleaned bounced complained blocklisted blacklisted abgemeldet inaktiv ' +
    'gesperrt desabonne desinscrit inactif desuscrito inactivo disiscritto inattivo cancelado inativo uitgeschreven ' +
    'afgemeld inactief afmeldt avanmald wypisany nieaktywny',
}

const WORDS: ReadonlyMap<string, Status> = new Map(
  Object.entries(STATUSES).flatMap(([status, words]) =>
    words.split(' ').map((word): [string, Status] => [word, status as Status]),
  ),
)

/** The status of a subscription by its word; yes and no are words for it too. Undefined for another word. */
export function statusOf(text: string): Status | undefined {
  const known = WORDS.get(folded(text))
  if (known) return known
  const yes = yesOrNo(text)
  return yes === undefined ? undefined : yes ? 'subscribed' : 'opted_out'
}
