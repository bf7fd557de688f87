// The wizard of a draft: who gets it, what it is, when it is sent, and the review before the send.
import type { Blast } from "@tentpole/client"
import { useNavigate, useSearch } from "@tanstack/react-router"
import { useState } from "react"
import { Steps } from "../../parts/Steps.tsx"
import { useWords } from "../../words/Words.tsx"
import { firstStep } from "../blast.ts"
import { type BlastSearch, wizard_steps, type WizardStep } from "../search.ts"
import { Review } from "./Review.tsx"
import { WhatStep } from "./WhatStep.tsx"
import { WhenStep } from "./WhenStep.tsx"
import { WhoStep } from "./WhoStep.tsx"

const isOpen = (step: WizardStep, { audience, email }: Blast): boolean => {
  if (step === "who") return true
  return step === "what" ? audience !== null : audience !== null && email !== null
}

export const Wizard = ({ blast }: { readonly blast: Blast }) => {
  const words = useWords("blasts")
  const asked = useSearch({ from: "/blasts/$blastId" })
  const navigate = useNavigate({ from: "/blasts/$blastId" })
  // A step that becomes complete stays open until the person goes on.
  const [first] = useState(() => firstStep(blast))
  const wanted = asked.step ?? first
  const step = isOpen(wanted, blast) ? wanted : firstStep(blast)
  const onAsked = (next: BlastSearch) => void navigate({ search: next, replace: true })
  const onStep = (next: WizardStep) => void navigate({ search: { ...asked, step: next } })
  const props = { blast, asked, onAsked, onStep }
  return (
    <>
      <Steps
        at={step}
        onStep={onStep}
        steps={wizard_steps.map((name) => ({ name, label: words.steps[name], isOpen: isOpen(name, blast) }))}
      />
      {step === "who" && <WhoStep {...props} />}
      {step === "what" && <WhatStep {...props} />}
      {step === "when" && <WhenStep {...props} />}
      {step === "review" && <Review {...props} />}
    </>
  )
}
