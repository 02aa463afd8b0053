import { installPrompt } from '../data/install-prompt.ts';
import { useStore } from '../data/store.ts';
import { screenStrings } from '../screen-strings.ts';
import { Button } from '../ui/button.tsx';
import { Section } from '../ui/section.tsx';

export function Install() {
  const prompt = useStore(installPrompt);
  if (!isSecureContext)
    return (
      <Section title={screenStrings.settings.install}>
        <p className="text-soft">{screenStrings.settings.installInsecure}</p>
      </Section>
    );
  if (!prompt) return null;
  return (
    <Section title={screenStrings.settings.install} lead={screenStrings.settings.installLead}>
      <Button icon="plus" onClick={() => void prompt.prompt()}>
        {screenStrings.settings.install}
      </Button>
    </Section>
  );
}
