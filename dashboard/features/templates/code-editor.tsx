import { autocompletion, closeBrackets, closeBracketsKeymap, completionKeymap } from '@codemirror/autocomplete'
import { defaultKeymap, history, historyKeymap, indentWithTab } from '@codemirror/commands'
import { liquid } from '@codemirror/lang-liquid'
import { xml } from '@codemirror/lang-xml'
import { bracketMatching, foldGutter, foldKeymap, indentOnInput, syntaxHighlighting } from '@codemirror/language'
import { type Diagnostic, lintGutter, setDiagnostics } from '@codemirror/lint'
import { highlightSelectionMatches, searchKeymap } from '@codemirror/search'
import { EditorState, type Extension } from '@codemirror/state'
import {
  drawSelection,
  EditorView,
  highlightActiveLine,
  highlightActiveLineGutter,
  keymap,
  lineNumbers,
} from '@codemirror/view'
import { classHighlighter } from '@lezer/highlight'
import { useEffect, useRef } from 'react'
import { NONCE } from '../../ui/nonce.ts'
import { chosenBlock } from './blocks/chosen-block.ts'
import './code-editor.css'
import { mergeCompletions } from './merge-completions.ts'
import { ELEMENTS } from './mjml-elements.ts'

export type LineFault = { line: number | null; detail: string; severity: 'error' | 'warning' }

type Props = {
  label: string
  value: string
  onChange: (value: string) => void
  faults?: readonly LineFault[]
  readOnly?: boolean
  /** Names that Liquid knows here, for completion. */
  variables?: readonly string[]
  /** The editor while it is there, for what changes its text or its choice from outside. */
  onEditor?: (editor: EditorView | undefined) => void
  onChoose?: (begin: number | null) => void
}

/** A mail's text, MJML or HTML with Liquid: kept to the byte, its faults on their line. */
export function CodeEditor({ label, value, onChange, faults = [], readOnly = false, variables = [], ...props }: Props) {
  const { onEditor, onChoose } = props
  const place = useRef<HTMLDivElement>(null)
  const view = useRef<EditorView>(undefined)
  /** The text that the editor has, once it has said so: it is not asked for it with every key. */
  const told = useRef<string>(undefined)
  const tell = (text: string) => {
    told.current = text
    onChange(text)
  }
  const calls = useRef<Calls['current']>({ onChange: tell, variables })
  calls.current = { onChange: tell, variables, onEditor, onChoose }
  const first = useRef(value)
  useEffect(() => {
    const editor = new EditorView({
      parent: place.current!,
      state: EditorState.create({ doc: first.current, extensions: extensionsOf({ label, readOnly, calls }) }),
    })
    view.current = editor
    told.current = undefined
    calls.current.onEditor?.(editor)
    return () => {
      view.current = undefined
      calls.current.onEditor?.(undefined)
      editor.destroy()
    }
  }, [label, readOnly])
  useEffect(() => {
    const editor = view.current
    if (editor === undefined || value === told.current || editor.state.doc.toString() === value) return
    editor.dispatch({ changes: { from: 0, to: editor.state.doc.length, insert: value } })
  }, [value])
  useEffect(() => {
    const editor = view.current
    if (editor) editor.dispatch(setDiagnostics(editor.state, diagnosticsOf(editor.state, faults)))
  }, [faults])
  return <div ref={place} className="code-editor" />
}

type Calls = { current: Pick<Props, 'onChange' | 'onEditor' | 'onChoose'> & { variables: readonly string[] } }

function extensionsOf({ label, readOnly, calls }: { label: string; readOnly: boolean; calls: Calls }): Extension[] {
  return [
    EditorView.cspNonce.of(NONCE),
    EditorState.lineSeparator.of('\n'),
    EditorState.readOnly.of(readOnly),
    EditorView.contentAttributes.of({ 'aria-label': label, tabindex: '0' }),
    EditorView.lineWrapping,
    lineNumbers(),
    foldGutter(),
    lintGutter(),
    highlightActiveLine(),
    highlightActiveLineGutter(),
    highlightSelectionMatches(),
    drawSelection(),
    history(),
    chosenBlock,
    indentOnInput(),
    bracketMatching(),
    closeBrackets(),
    autocompletion({ override: [mergeCompletions(() => calls.current.variables)] }),
    liquid({ base: xml({ elements: ELEMENTS }) }),
    syntaxHighlighting(classHighlighter),
    keymap.of([
      ...closeBracketsKeymap,
      ...defaultKeymap,
      ...searchKeymap,
      ...historyKeymap,
      ...foldKeymap,
      ...completionKeymap,
      indentWithTab,
    ]),
    EditorView.updateListener.of(({ docChanged, state, startState }) => {
      if (docChanged) calls.current.onChange(state.doc.toString())
      const chosen = state.field(chosenBlock)
      if (chosen !== startState.field(chosenBlock)) calls.current.onChoose?.(chosen)
    }),
  ]
}

/** A fault without a line, or of one that is gone by now, stands at the first. */
function diagnosticsOf({ doc }: EditorState, faults: readonly LineFault[]): Diagnostic[] {
  return faults
    .map(({ line, detail, severity }) => {
      const at = doc.line(Math.min(Math.max(line ?? 1, 1), doc.lines))
      return { from: at.from, to: at.to, severity, message: detail }
    })
    .sort((a, b) => a.from - b.from)
}
