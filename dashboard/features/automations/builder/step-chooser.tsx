import { kindsFor, type StepKind } from './step-kinds.ts'
import { WordChooser } from './word-chooser.tsx'

type Props = {
  /** Whether nothing follows there. */
  isLast: boolean
  onClose: () => void
  onChoose: (kind: StepKind) => void
}

const LABELS = {
  layer: 'Add a step',
  field: 'What is to happen',
  list: 'Steps that can be added',
  placeholder: 'What is to happen? Mail, wait, branch …',
  none: 'No step is called so.',
}

/** What is to happen next: looked for by a word, chosen by keys or pointer. */
export function StepChooser({ isLast, onClose, onChoose }: Props) {
  return (
    <WordChooser<StepKind & { key: string }>
      labels={LABELS}
      find={(search) => kindsFor(search, isLast).map((kind) => ({ ...kind, key: kind.type }))}
      {...{ onClose, onChoose }}
    />
  )
}
