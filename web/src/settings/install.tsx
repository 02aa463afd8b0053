import { installPrompt } from '../data/install-prompt.ts';
import { useStore } from '../data/store.ts';
import { strings } from '../strings.ts';
import { Button } from '../ui/button.tsx';
import { Section } from '../ui/section.tsx';

export function Install() {
  const prompt = useStore(installPrompt);
  if (!isSecureContext)
    return (
      <Section title={strings.settings.install}>
        <p className="text-soft">{strings.settings.installInsecure}</p>
      </Section>
    );
  if (!prompt) return null;
  return (
    <Section title={strings.settings.install} lead={strings.settings.installLead}>
      <Button icon="plus" onClick={() => void prompt.prompt()}>
        {strings.settings.install}
      </Button>
    </Section>
  );
}
