import { BoltIcon } from '../../../ui/icons.tsx'
import { kindText, nodeText, wayText } from '../node-words.ts'
import { enterText } from './enter-words.ts'
import { kindNamed } from './step-kinds.ts'
import { whichText } from './step-name.ts'
import type { Builder } from './use-builder.ts'
import { type Choice, WordChooser } from './word-chooser.tsx'

const LABELS = {
  layer: 'Find a step',
  field: 'Which step',
  list: 'Steps',
  placeholder: 'Which step? Its kind, its words, its tag or event …',
  none: 'No step says so.',
}

type Props = { builder: Builder; onClose: () => void; onChoose: (key: string) => void }

/** Leads to a step by a word of what it does, or of one of its ways. */
export default function FindStep({ builder, onClose, onChoose }: Props) {
  const all = choicesOf(builder)
  return (
    <WordChooser
      labels={LABELS}
      find={(search) => {
        const words = search.trim().toLowerCase().split(/\s+/)
        return all.filter(({ said }) => words.every((word) => said.includes(word)))
      }}
      onClose={onClose}
      onChoose={({ key }) => onChoose(key)}
    />
  )
}

/** In the order of the outline; `said` is all that one may look for. */
function choicesOf({ rows, definition, referenceName }: Builder): (Choice & { said: string })[] {
  return rows.flatMap((row) => {
    if (row.is === 'enter') {
      const does = enterText(definition.enter, referenceName)
      const name = 'People come in'
      return [{ key: row.key, type: 'enter', icon: BoltIcon, name, does, said: `${name} ${does}`.toLowerCase() }]
    }
    if (row.is !== 'step') return []
    const { key, id, node } = row
    const kind = kindNamed(node.type)
    const [name, does] = [
      kindText(node),
      `${nodeText(node, referenceName)}${whichText(definition, id, referenceName)}`.trim(),
    ]
    const ways = rows.flatMap((way) =>
      way.is === 'way' && way.of === id ? [wayText(node, way.way, referenceName)] : [],
    )
    const said = [name, kind?.name, does, ...ways].join(' ').toLowerCase()
    return [{ key, type: node.type, icon: kind?.icon ?? BoltIcon, name, does, said }]
  })
}
