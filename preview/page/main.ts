// Grafana's libraries read the boot data while they load, so they are imported after it is there.
import './grafana/bootData';

void import('./App').then(({ start }) => start());
